package dev.patchbay.kubelet;

import dev.patchbay.kubelet.allocation.Allocations;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// One container's demand of one resource, as the pod's spec and the topology manager have it.
///
/// @param count devices asked for
/// @param nodes NUMA nodes that the topology manager chose; empty without an opinion
record Demand(
    PodSpec pod,
    ContainerSpec container,
    ResourceName resource,
    long count,
    Optional<Set<Integer>> nodes) {
  /// Under which the container's share is kept.
  Allocations.Key key() {
    return new Allocations.Key(pod.uid(), container.name(), resource);
  }

  /// What regular init containers before this one held and no sidecar or app container took since.
  SortedSet<DeviceId> reusable(Allocations allocations) {
    SortedSet<DeviceId> reusable = new TreeSet<>();
    for (ContainerSpec each : pod.allContainers()) {
      if (each.name().equals(container.name())) break;
      var held =
          allocations
              .find(new Allocations.Key(pod.uid(), each.name(), resource))
              .map(Allocations.Held::devices);
      boolean regularInit = pod.initContainers().contains(each) && !each.sidecar();
      if (regularInit) held.ifPresent(reusable::addAll);
      else held.ifPresent(reusable::removeAll);
    }
    return reusable;
  }
}
