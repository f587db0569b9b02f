package dev.patchbay.kubelet.cpu;

import dev.patchbay.kubelet.cpu.CpuLayout.Level;
import java.util.List;
import java.util.Optional;

/// Chooses CPUs so that NUMA nodes give equal parts, where one node has too few: the kubelet's
/// `takeByTopologyNUMADistributed` of Kubernetes 1.36. Which nodes, [EvenSplit] finds; on a node
/// the CPUs are chosen as by [PackedChoice].
///
/// Where CPUs cannot be had in groups, or no nodes can give equal parts, the choice is the packed
/// one.
final class EvenChoice {
  private final CpuLayout layout;
  private final int group;
  private CpuSet free;
  private CpuSet taken = CpuSet.EMPTY;

  private EvenChoice(CpuLayout layout, CpuSet free, int group) {
    this.layout = layout;
    this.free = free;
    this.group = group;
  }

  /// As many of the free CPUs as are needed, which must be there. They are fewer when the nodes
  /// that [EvenSplit] names do not have them, which can happen on machines with more than four
  /// nodes: the kubelet refuses the container then.
  ///
  /// @param group how many CPUs of a node are given out together
  static CpuSet of(CpuLayout layout, CpuSet free, int needed, int group) {
    if (needed == 0 || needed % group != 0) return PackedChoice.of(layout, free, needed);
    List<Integer> nodes = PackedChoice.nodes(layout, free);
    var choice = new EvenChoice(layout, free, group);
    int[] sizes = nodes.stream().mapToInt(node -> choice.on(node).size()).toArray();
    int groups = needed / group;
    Optional<EvenSplit> split =
        EvenSplit.of(
            sizes,
            needed,
            group,
            fewestNodes(layout, groups, group),
            Math.min(groups, sizes.length));
    if (split.isEmpty()) return PackedChoice.of(layout, free, needed);
    choice.take(split.get(), nodes, needed);
    return choice.taken;
  }

  /// How many nodes would do if all CPUs were free and nodes had as many.
  private static int fewestNodes(CpuLayout layout, int groups, int group) {
    int perNode = roundedUp(roundedUp(layout.all().size(), group), layout.parts(Level.NODE).size());
    return roundedUp(groups, perNode);
  }

  private static int roundedUp(int dividend, int divisor) {
    return (dividend - 1) / divisor + 1;
  }

  private void take(EvenSplit split, List<Integer> nodes, int needed) {
    for (int place : split.nodes()) take(nodes.get(place), split.share());
    int left = needed - split.share() * split.nodes().size();
    for (boolean more = true; more && left > 0; ) {
      more = false;
      for (int place : split.remainder()) {
        int node = nodes.get(place);
        if (left == 0 || on(node).size() < group) continue;
        take(node, group);
        left -= group;
        more = true;
      }
    }
  }

  /// Nothing where the node has not so many.
  private void take(int node, int count) {
    CpuSet onNode = on(node);
    if (onNode.size() < count) return;
    CpuSet cpus = PackedChoice.of(layout, onNode, count);
    taken = taken.union(cpus);
    free = free.minus(cpus);
  }

  private CpuSet on(int node) {
    return layout.parts(Level.NODE).getOrDefault(node, CpuSet.EMPTY).intersection(free);
  }
}
