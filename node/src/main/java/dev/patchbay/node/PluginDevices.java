package dev.patchbay.node;

import dev.patchbay.kubelet.Admission;
import dev.patchbay.kubelet.DeviceManager;
import dev.patchbay.kubelet.DeviceManager.ContainerKey;
import dev.patchbay.kubelet.NodeResources;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.Predicate;

/// Devices of plugins, by the device manager.
record PluginDevices(DeviceManager manager) implements Devices {
  @Override
  public void start(Set<ContainerKey> running) throws IOException {
    manager.start(running);
  }

  @Override
  public void sourcesReady() {
    manager.sourcesReady();
  }

  @Override
  public Admission admit(PodSpec pod) {
    return manager.admit(pod);
  }

  @Override
  public Optional<ContainerEdits> runOptions(PodSpec pod, String container) throws IOException {
    return manager.runOptions(pod, container);
  }

  @Override
  public void release(String podUid) {
    manager.release(podUid);
  }

  @Override
  public NodeResources nodeResources() {
    return manager.nodeResources();
  }

  @Override
  public boolean awaitResources(Predicate<NodeResources> condition, Duration atMost)
      throws InterruptedException {
    return manager.awaitResources(condition, atMost);
  }

  @Override
  public SortedMap<String, SortedMap<String, SortedMap<ResourceName, SortedSet<DeviceId>>>> held() {
    return manager.held();
  }

  @Override
  public void close() {
    manager.close();
  }
}
