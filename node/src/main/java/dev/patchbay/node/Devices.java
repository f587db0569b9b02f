package dev.patchbay.node;

import dev.patchbay.kubelet.Admission;
import dev.patchbay.kubelet.NodeResources;
import dev.patchbay.kubelet.PodPhase;
import dev.patchbay.kubelet.RuntimeContainer;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.status.AllocatedResources.ResourceHealth;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.Predicate;

/// What a node wants of the kubelet side; each method is that of [dev.patchbay.kubelet.Kubelet].
/// Tests of the pods' life script it.
interface Devices extends AutoCloseable {
  void start(Set<RuntimeContainer> running) throws IOException;

  void sourcesReady();

  void know(PodSpec pod);

  Admission admit(PodSpec pod);

  Optional<ContainerEdits> runOptions(PodSpec pod, String container) throws IOException;

  /// The pod's containers ended for good: what it held is free, and it is known as long as it is
  /// asked for.
  void ended(PodSpec pod, PodPhase phase);

  void release(String podUid);

  NodeResources nodeResources();

  boolean awaitResources(Predicate<NodeResources> condition, Duration atMost)
      throws InterruptedException;

  SortedMap<String, SortedMap<String, SortedMap<ResourceName, SortedSet<DeviceId>>>> held();

  /// How these devices were when they were listed last.
  SortedMap<ResourceName, List<ResourceHealth>> health(
      SortedMap<ResourceName, SortedSet<DeviceId>> devices);

  Instruments instruments();

  @Override
  void close();
}
