package dev.patchbay.kubelet.allocation;

import dev.patchbay.kubelet.inventory.DeviceTable;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;

/// Available devices, by their places, and how near they are to the NUMA nodes that the topology
/// manager chose.
///
/// A device counts for one node alone: the first that it lies on, of the chosen nodes with the
/// fewest devices first, then of the others likewise. So all devices with the same nodes fall into
/// the same group.
///
/// @param aligned on a chosen node
/// @param unaligned on other nodes alone
/// @param noAffinity on no node; all of them when no node was chosen
record AffinityGroups(BitSet aligned, BitSet unaligned, BitSet noAffinity) {
  /// Groups the available devices of one resource.
  ///
  /// @param chosen the chosen nodes; empty when the topology manager has no opinion
  static AffinityGroups of(DeviceTable all, BitSet available, Optional<Set<Integer>> chosen) {
    if (chosen.isEmpty() || !all.hasTopology())
      return new AffinityGroups(new BitSet(), new BitSet(), available);
    List<SortedSet<Integer>> kinds = all.kinds().nodes();
    int[] ofKind = all.kinds().counts(available);
    Map<Integer, Integer> perNode = new TreeMap<>();
    for (int kind = 0; kind < ofKind.length; kind++)
      for (int node : nodes(kinds.get(kind))) perNode.merge(node, ofKind[kind], Integer::sum);
    Set<Integer> mask = chosen.get();
    Comparator<Integer> order =
        Comparator.<Integer>comparingInt(node -> mask.contains(node) ? 0 : node >= 0 ? 1 : 2)
            .thenComparingInt(node -> perNode.getOrDefault(node, 0))
            .thenComparingInt(node -> node);
    var aligned = new BitSet();
    var unaligned = new BitSet();
    var noAffinity = new BitSet();
    for (int kind = 0; kind < ofKind.length; kind++) {
      int node = nodes(kinds.get(kind)).stream().min(order).orElseThrow();
      (node < 0 ? noAffinity : mask.contains(node) ? aligned : unaligned).set(kind);
    }
    return new AffinityGroups(
        all.kinds().ofKinds(aligned, available),
        all.kinds().ofKinds(unaligned, available),
        all.kinds().ofKinds(noAffinity, available));
  }

  private static Set<Integer> nodes(SortedSet<Integer> ofDevice) {
    return ofDevice.isEmpty() ? Set.of(-1) : ofDevice;
  }
}
