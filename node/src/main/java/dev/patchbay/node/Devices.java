package dev.patchbay.node;

import dev.patchbay.kubelet.Admission;
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

/// What a node wants of the device manager; each method is that of
/// [dev.patchbay.kubelet.DeviceManager]. Tests of the pods' life script it.
interface Devices extends AutoCloseable {
  void start(Set<ContainerKey> running) throws IOException;

  void sourcesReady();

  Admission admit(PodSpec pod);

  Optional<ContainerEdits> runOptions(PodSpec pod, String container) throws IOException;

  void release(String podUid);

  NodeResources nodeResources();

  boolean awaitResources(Predicate<NodeResources> condition, Duration atMost)
      throws InterruptedException;

  SortedMap<String, SortedMap<String, SortedMap<ResourceName, SortedSet<DeviceId>>>> held();

  @Override
  void close();
}
