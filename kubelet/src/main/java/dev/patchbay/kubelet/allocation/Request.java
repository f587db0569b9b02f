package dev.patchbay.kubelet.allocation;

import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/// One container's request for one resource, with all that the decision depends on beside inventory
/// and allocations.
///
/// @param count devices asked for
/// @param reusable devices that earlier init containers of the pod held and that this container
///   takes first
/// @param reusesBroken whether it takes them although they are not healthy, which is a defect of
///   upstream's
/// @param runsAlready the container runs and the pods of this node are not all known yet: it keeps
///   what it has, whatever the plugins say
/// @param nodes NUMA nodes that the topology manager chose; empty without an opinion
/// @param hasPreference whether the plugin has an opinion and can be asked
/// @param preferred its answer; empty before it was asked
public record Request(
    Allocations.Key key,
    long count,
    SortedSet<DeviceId> reusable,
    boolean reusesBroken,
    boolean runsAlready,
    Optional<Set<Integer>> nodes,
    boolean hasPreference,
    Optional<Set<DeviceId>> preferred) {
  /// The same request with the plugin's answer.
  public Request withPreferred(Set<DeviceId> answer) {
    return new Request(
        key, count, reusable, reusesBroken, runsAlready, nodes, hasPreference, Optional.of(answer));
  }

  ResourceName resource() {
    return key.resource();
  }
}
