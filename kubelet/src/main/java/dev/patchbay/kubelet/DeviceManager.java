package dev.patchbay.kubelet;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.Predicate;

/// The device manager of one node: plugins register with it on a socket, pods are admitted by it.
///
/// Thread-safe. Admissions are one after the other; no lock is held over a call to a plugin.
public final class DeviceManager implements AutoCloseable {
  /// Makes a manager; nothing is touched before [#start].
  public DeviceManager(DeviceManagerConfig config, InstantSource clock) {
    throw new UnsupportedOperationException();
  }

  /// Reads the checkpoint, removes stale sockets, listens on `kubelet.sock`.
  ///
  /// @param running containers that the runtime reports as running, as (pod uid, container name):
  ///   they keep running whatever the plugins say
  public void start(Set<ContainerKey> running) throws IOException {
    throw new UnsupportedOperationException();
  }

  /// A container of a pod.
  public record ContainerKey(String podUid, String container) {}

  /// All pods that should run here at a start are known now; until then a running container is not
  /// re-allocated and nothing is garbage-collected.
  public void sourcesReady() {
    throw new UnsupportedOperationException();
  }

  /// Decides about a pod and reserves the devices of all its containers. Asking again for an
  /// admitted pod keeps what it has.
  public Admission admit(PodSpec pod) {
    throw new UnsupportedOperationException();
  }

  /// What the container gets; calls PreStartContainer where the plugin wants it, and allocates
  /// again what is missing. To be called before each start of the container.
  ///
  /// @return empty when the container has no devices
  /// @throws IOException when the plugin refuses or cannot be reached; the start has to be tried
  ///   again later
  public Optional<ContainerEdits> runOptions(PodSpec pod, String container) throws IOException {
    throw new UnsupportedOperationException();
  }

  /// The pod ended or was taken away: its devices are free.
  public void release(String podUid) {
    throw new UnsupportedOperationException();
  }

  /// Capacity and allocatable now.
  public NodeResources nodeResources() {
    throw new UnsupportedOperationException();
  }

  /// Waits until the node's resources are as the condition wants them.
  ///
  /// @return whether they were in that time
  public boolean awaitResources(Predicate<NodeResources> condition, Duration atMost)
      throws InterruptedException {
    throw new UnsupportedOperationException();
  }

  /// Which container holds which devices.
  public SortedMap<String, SortedMap<String, SortedMap<ResourceName, SortedSet<DeviceId>>>> held() {
    throw new UnsupportedOperationException();
  }

  /// Stops listening and drops all plugins; what was allocated stays in the checkpoint.
  @Override
  public void close() {}
}
