package dev.patchbay.oci;

/// What became of a container.
public sealed interface ContainerStatus {
  /// It was never started, or it was deleted.
  record Absent() implements ContainerStatus {}

  /// It runs.
  ///
  /// @param pid of its first process as the host sees it
  record Running(long pid) implements ContainerStatus {}

  /// It ran and ended.
  ///
  /// @param exitCode 0 to 255; 128 and the signal's number when a signal ended it; -1 when nobody
  ///   saw it, since the shell that waited for it was killed or the machine was restarted
  record Ended(int exitCode) implements ContainerStatus {}

  /// The runtime could not start it.
  ///
  /// @param why what the runtime said
  record NotStarted(String why) implements ContainerStatus {}
}
