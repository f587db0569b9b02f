package dev.patchbay.kubelet.allocation;

import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// Available devices by how near they are to the NUMA nodes that the topology manager chose.
///
/// A device counts for one node alone: the first that it lies on, of the chosen nodes with the
/// fewest devices first, then of the others likewise.
///
/// @param aligned on a chosen node
/// @param unaligned on other nodes alone
/// @param noAffinity on no node; all of them when no node was chosen
record AffinityGroups(
    SortedSet<DeviceId> aligned, SortedSet<DeviceId> unaligned, SortedSet<DeviceId> noAffinity) {
  /// Groups the available devices of one resource.
  ///
  /// @param all every device of the resource
  /// @param chosen the chosen nodes; empty when the topology manager has no opinion
  static AffinityGroups of(
      Map<DeviceId, Device> all, SortedSet<DeviceId> available, Optional<Set<Integer>> chosen) {
    boolean topologyAware = all.values().stream().anyMatch(device -> !device.numaNodes().isEmpty());
    if (!topologyAware || chosen.isEmpty())
      return new AffinityGroups(new TreeSet<>(), new TreeSet<>(), new TreeSet<>(available));
    Set<Integer> mask = chosen.get();
    Map<Integer, SortedSet<DeviceId>> perNode = new TreeMap<>();
    for (DeviceId id : available) {
      Device device = all.get(id);
      Collection<Integer> nodes = device == null ? Set.of() : device.numaNodes();
      for (int node : nodes.isEmpty() ? Set.of(-1) : nodes)
        perNode.computeIfAbsent(node, _ -> new TreeSet<>()).add(id);
    }
    var order =
        perNode.keySet().stream()
            .sorted(
                Comparator.<Integer>comparingInt(
                        node -> mask.contains(node) ? 0 : node >= 0 ? 1 : 2)
                    .thenComparingInt(node -> sizeOf(perNode, node))
                    .thenComparingInt(node -> node))
            .toList();
    var groups = new AffinityGroups(new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
    for (DeviceId id : available)
      for (int node : order)
        if (perNode.getOrDefault(node, new TreeSet<>()).contains(id)) {
          (node < 0 ? groups.noAffinity : mask.contains(node) ? groups.aligned : groups.unaligned)
              .add(id);
          break;
        }
    return groups;
  }

  private static int sizeOf(Map<Integer, SortedSet<DeviceId>> perNode, int node) {
    return perNode.getOrDefault(node, new TreeSet<>()).size();
  }
}
