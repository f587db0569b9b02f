package dev.patchbay.kubelet.cpu;

/// The answer to one container's request for CPUs.
public sealed interface CpuDecision {
  /// It owns these CPUs now.
  ///
  /// @param next the state that says so; the asked one itself when nothing changed
  /// @param cpus none for a container that shares its CPUs with others
  record Granted(ExclusiveCpus next, CpuSet cpus) implements CpuDecision {}

  /// It cannot have them.
  ///
  /// @param text the kubelet's words
  record Refused(Reason reason, String text) implements CpuDecision {}

  /// Why a container cannot have its CPUs.
  enum Reason {
    /// There are not enough.
    TOO_FEW,
    /// It would have some of a core's CPUs and not the others, where cores are given as a whole.
    PARTS_OF_CORES
  }
}
