package dev.patchbay.kubelet.topology;

import java.util.List;
import java.util.stream.IntStream;

/// How far NUMA nodes are from each other.
///
/// @param rows distance from node to node by position in `nodes`; empty when distances are not
///   looked at
record Distances(NumaMask nodes, List<List<Integer>> rows) {
  /// All nodes are equally far.
  static final Distances NOT_LOOKED_AT = new Distances(NumaMask.EMPTY, List.of());

  /// Those of a machine with [known][#requireKnown] distances and ids up to 63.
  ///
  /// @throws IllegalArgumentException when a node has too few
  static Distances of(NumaMachine machine) {
    List<NumaMachine.Node> nodes = machine.nodes();
    return new Distances(machine.mask(), nodes.stream().map(node -> row(node, nodes)).toList());
  }

  /// The kernel writes a number for each node that is online, others may give one for each id.
  private static List<Integer> row(NumaMachine.Node node, List<NumaMachine.Node> nodes) {
    List<Integer> given = node.distances();
    if (given.size() > nodes.getLast().id())
      return nodes.stream().map(other -> given.get(other.id())).toList();
    if (given.size() == nodes.size()) return given;
    throw new IllegalArgumentException(
        "cannot discover NUMA topology: NUMA node %d has %d distances; needed are %d, one for each node"
            .formatted(node.id(), given.size(), nodes.size()));
  }

  /// @throws IllegalArgumentException with the kubelet's text when a node has no distances
  static void requireKnown(NumaMachine machine) {
    for (NumaMachine.Node node : machine.nodes())
      if (node.distances().isEmpty())
        throw new IllegalArgumentException(
            "cannot discover NUMA topology: error getting NUMA distances from cadvisor");
  }

  /// The sum over all ordered pairs of nodes in the mask. Of masks with as many nodes it orders as
  /// the average does.
  long sumWithin(NumaMask mask) {
    if (rows.isEmpty()) return 0;
    int[] members = mask.and(nodes).nodes().stream().mapToInt(this::positionOf).toArray();
    return IntStream.of(members)
        .mapToLong(one -> IntStream.of(members).mapToLong(other -> rows.get(one).get(other)).sum())
        .sum();
  }

  private int positionOf(int node) {
    return Long.bitCount(nodes.bits() & ((1L << node) - 1));
  }
}
