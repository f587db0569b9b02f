package dev.patchbay.kubelet;

import dev.patchbay.kubelet.allocation.Allocations;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.util.SortedSet;
import java.util.TreeSet;

/// One container's demand of one resource, as the pod's spec has it.
///
/// @param count devices asked for
record Demand(PodSpec pod, ContainerSpec container, ResourceName resource, long count) {
  /// Under which the container's share is kept.
  Allocations.Key key() {
    return new Allocations.Key(pod.uid(), container.name(), resource);
  }

  /// Whether devices of plugins are given for it.
  boolean isOurs(DeviceState state) {
    return !pod.isDraBacked(container.name(), resource) && state.knows(resource);
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
      if (pod.isRegularInit(each)) held.ifPresent(reusable::addAll);
      else held.ifPresent(reusable::removeAll);
    }
    return reusable;
  }
}
