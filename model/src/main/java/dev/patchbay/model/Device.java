package dev.patchbay.model;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/// One device as it is advertised to the kubelet.
///
/// @param id unique within the resource
/// @param health whether it can be given away
/// @param numaNodes ids of the NUMA nodes that are near, in ascending order; empty when unknown or
///   none
public record Device(DeviceId id, Health health, SortedSet<Integer> numaNodes)
    implements Comparable<Device> {
  public Device {
    for (int node : numaNodes)
      if (node < 0)
        throw new IllegalArgumentException("device " + id + " has the NUMA node " + node);
    // One empty set for all: there are thousands of devices without a node, such as shares of one.
    numaNodes =
        numaNodes.isEmpty()
            ? Collections.emptySortedSet()
            : Collections.unmodifiableSortedSet(new TreeSet<>(numaNodes));
  }

  /// A healthy device without a NUMA node.
  public static Device healthy(String id) {
    return new Device(DeviceId.of(id), Health.healthy(), new TreeSet<>());
  }

  /// An unhealthy device without a NUMA node.
  public static Device unhealthy(String id, String reason) {
    return new Device(DeviceId.of(id), Health.unhealthy(reason), new TreeSet<>());
  }

  /// The same device with another health.
  public Device with(Health newHealth) {
    return new Device(id, newHealth, numaNodes);
  }

  @Override
  public int compareTo(Device other) {
    return id.compareTo(other.id);
  }
}
