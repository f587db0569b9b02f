package dev.patchbay.testkit;

import dev.patchbay.model.ContainerEdits;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/// A kubelet that was started in a directory to be judged by [KubeletContract].
public interface KubeletUnderTest extends AutoCloseable {
  /// Devices of each resource that the node shows, healthy or not.
  Map<String, Long> capacity();

  /// Healthy devices of each resource that the node shows.
  Map<String, Long> allocatable();

  /// Decides about the one pod of this manifest. The same manifest means the same pod, also for
  /// another kubelet in the same directory.
  ///
  /// @return why the pod was rejected; empty when it was admitted
  Optional<Rejection> admit(String manifest);

  /// What a container of an admitted pod gets for its devices, asked right before its start.
  ///
  /// @param pod `metadata.name`
  /// @throws IOException why the container cannot be started now
  ContainerEdits runOptions(String pod, String container) throws IOException;

  /// The pod has ended.
  void release(String pod);

  /// Ends as a killed process does: `kubelet.sock` stays with nobody behind it.
  void kill() throws IOException;

  @Override
  void close() throws IOException;

  /// A pod that has failed for good.
  ///
  /// @param reason as in `status.reason`
  /// @param message as in `status.message`
  record Rejection(String reason, String message) {}
}
