package dev.patchbay.model;

import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;

/// One device as it is advertised to the kubelet.
///
/// @param id unique within the resource
/// @param health whether it can be given away
/// @param numaNodes ids of the NUMA nodes that are near, in ascending order; empty when unknown or
///   none
public record Device(DeviceId id, Health health, SortedSet<Integer> numaNodes)
    implements Comparable<Device> {
  private static final List<SortedSet<Integer>> SINGLE_NODES =
      IntStream.range(0, 64)
          .mapToObj(node -> Collections.unmodifiableSortedSet(new TreeSet<>(List.of(node))))
          .toList();

  public Device {
    numaNodes = shared(numaNodes, id);
  }

  /// The set of one NUMA node alone, which the devices on it share.
  public static SortedSet<Integer> on(int node) {
    return node >= 0 && node < SINGLE_NODES.size()
        ? SINGLE_NODES.get(node)
        : Collections.unmodifiableSortedSet(new TreeSet<>(List.of(node)));
  }

  /// Whether each device's id comes after that of the one before.
  public static boolean areAscending(Device[] devices) {
    for (int i = 1; i < devices.length; i++)
      if (devices[i - 1].compareTo(devices[i]) >= 0) return false;
    return true;
  }

  /// One empty set for all, and one for each of the usual nodes: there are thousands of devices.
  private static SortedSet<Integer> shared(SortedSet<Integer> nodes, DeviceId of) {
    if (nodes.isEmpty()) return Collections.emptySortedSet();
    int first = nodes.first();
    if (first >= 0 && nodes.size() == 1) return on(first);
    for (int node : nodes)
      if (node < 0)
        throw new IllegalArgumentException("device " + of + " has the NUMA node " + node);
    return Collections.unmodifiableSortedSet(new TreeSet<>(nodes));
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
