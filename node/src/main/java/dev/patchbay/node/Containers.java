package dev.patchbay.node;

import dev.patchbay.oci.BundleSpec;
import dev.patchbay.oci.ContainerStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// What a node wants of a container runtime. A container is known by the directory of its bundle.
interface Containers {
  /// Why no container can be run; empty when they can.
  Optional<String> whyNone();

  /// What became of the container.
  ContainerStatus status(Path bundle) throws IOException, InterruptedException;

  /// Starts the container, in place of an earlier run of it.
  ///
  /// @param cgroupless what runs; its cgroup is set here
  ContainerStatus start(Path bundle, BundleSpec cgroupless)
      throws IOException, InterruptedException;

  /// Waits until the container has ended.
  void awaitEnd(Path bundle) throws IOException, InterruptedException;

  /// Ends the container if it runs.
  void stop(Path bundle, Duration grace) throws IOException, InterruptedException;

  /// Ends the container if it runs, and removes all there is of it.
  void remove(Path bundle, Duration grace) throws IOException, InterruptedException;
}
