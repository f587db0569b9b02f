package dev.patchbay.kubelet;

import dev.patchbay.kubelet.cpu.CpuSettings;
import dev.patchbay.kubelet.memory.MemorySettings;
import java.nio.file.Path;
import java.util.Optional;

/// How what the host itself has is given out to containers: its CPUs and its memory.
///
/// @param stateDirectory where `cpu_manager_state` and `memory_manager_state` lie, the kubelet's
///   root directory; without one nothing outlives the kubelet
public record HostSettings(CpuSettings cpus, MemorySettings memory, Optional<Path> stateDirectory) {
  /// No container owns CPUs and no memory is bound to NUMA nodes, as in a kubelet that is not
  /// configured; no files are written.
  public static final HostSettings NONE =
      new HostSettings(CpuSettings.NONE, MemorySettings.NONE, Optional.empty());
}
