package dev.patchbay.kubelet.podresources;

import dev.patchbay.kubelet.pods.DraClaim;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;

/// What a pod has.
///
/// @param active whether it has not ended
/// @param sidecars init containers that keep running, in their order; the others are never shown
/// @param containers in their order
public record PodHoldings(
    String namespace,
    String name,
    boolean active,
    List<ContainerHoldings> sidecars,
    List<ContainerHoldings> containers) {
  public PodHoldings {
    sidecars = List.copyOf(sidecars);
    containers = List.copyOf(containers);
  }

  /// What a container has.
  ///
  /// @param devices by resource and by NUMA node, under each of a device's nodes; under -1 those
  ///   without a node. Immutable; not copied, because it is there already for each container
  /// @param cpus that nobody else uses; none when it shares the node's
  /// @param memory that is reserved for it on NUMA nodes
  /// @param claims of dynamic resources that it uses
  public record ContainerHoldings(
      String name,
      SortedMap<ResourceName, SortedMap<Integer, SortedSet<DeviceId>>> devices,
      List<Integer> cpus,
      List<MemoryShare> memory,
      List<DraClaim> claims) {
    public ContainerHoldings {
      cpus = List.copyOf(cpus);
      memory = List.copyOf(memory);
      claims = List.copyOf(claims);
    }
  }

  /// Memory on a group of NUMA nodes.
  ///
  /// @param type `memory` or `hugepages-2Mi`
  /// @param nodes the group, ascending
  public record MemoryShare(String type, long sizeBytes, List<Integer> nodes) {
    public MemoryShare {
      nodes = List.copyOf(nodes);
    }
  }
}
