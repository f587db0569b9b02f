package dev.patchbay.kubelet.cpu;

import dev.patchbay.kubelet.cpu.CpuLayout.Level;
import dev.patchbay.kubelet.topology.NumaMask;
import dev.patchbay.kubelet.topology.TopologyHint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/// On which sets of NUMA nodes a number of CPUs can be had. CPUs are counted per node once; each
/// set then costs one addition more than the set without its last node.
final class CpuHints {
  private final int[] nodes;
  private final int[] total;
  private final int[] usable;
  private final int[] mustTouch;
  private final int request;
  private final int nodesPerSocket;
  private final List<BitSet> sockets;
  private final List<Found> found = new ArrayList<>();
  private int narrowest;

  private record Found(long mask, int size) {}

  private CpuHints(
      CpuLayout layout, CpuOptions options, CpuSet available, CpuSet reusable, int request) {
    this.nodes = layout.nodeNumbers();
    this.total = layout.perNode(layout.all());
    this.usable = layout.perNode(available.union(reusable));
    this.mustTouch = layout.perNode(reusable);
    this.request = request;
    this.narrowest = nodes.length;
    this.nodesPerSocket =
        options.has(CpuOption.SOCKETS)
            ? layout.parts(Level.NODE).size() / Math.max(1, layout.parts(Level.SOCKET).size())
            : 0;
    this.sockets =
        nodesPerSocket > 0
            ? Arrays.stream(nodes).mapToObj(node -> sockets(layout, node)).toList()
            : List.of();
  }

  /// The sockets that a NUMA node is on, by their place among all.
  private static BitSet sockets(CpuLayout layout, int node) {
    CpuSet onNode = layout.on(NumaMask.of(node));
    var on = new BitSet();
    int place = 0;
    for (CpuSet socket : layout.parts(Level.SOCKET).values())
      on.set(place++, !socket.intersection(onNode).isEmpty());
    return on;
  }

  /// The hints, small sets first and then by the lowest nodes, as the kubelet lists them.
  ///
  /// A set is hinted when its nodes have enough usable CPUs and it leaves out no reusable one. It
  /// is preferred when no smaller set would do if all CPUs of the machine were free. With
  /// [CpuOption#SOCKETS] it is as well when it touches as few sockets as such a smallest set could.
  static List<TopologyHint> of(
      CpuLayout layout, CpuOptions options, CpuSet available, CpuSet reusable, int request) {
    var hints = new CpuHints(layout, options, available, reusable, request);
    for (int size = 1; size <= hints.nodes.length; size++) hints.walk(0, size, size, 0, 0, 0, 0);
    return hints.found.stream()
        .map(
            each -> new TopologyHint(Optional.of(new NumaMask(each.mask)), hints.isPreferred(each)))
        .toList();
  }

  private boolean isPreferred(Found hint) {
    return hint.size == narrowest || (nodesPerSocket > 0 && isOnFewestSockets(hint.mask));
  }

  private boolean isOnFewestSockets(long mask) {
    var touched = new BitSet();
    for (int i = 0; i < nodes.length; i++)
      if ((mask & 1L << nodes[i]) != 0) touched.or(sockets.get(i));
    return touched.cardinality() == (narrowest + nodesPerSocket - 1) / nodesPerSocket;
  }

  private void walk(
      int from, int left, int size, long mask, int inTotal, int inUsable, int inMust) {
    if (left == 0) {
      judge(size, mask, inTotal, inUsable, inMust);
      return;
    }
    for (int i = from; i <= nodes.length - left; i++)
      walk(
          i + 1,
          left - 1,
          size,
          mask | 1L << nodes[i],
          inTotal + total[i],
          inUsable + usable[i],
          inMust + mustTouch[i]);
  }

  private void judge(int size, long mask, int inTotal, int inUsable, int inMust) {
    if (inTotal >= request) narrowest = Math.min(narrowest, size);
    int must = 0;
    for (int each : mustTouch) must += each;
    if (inMust == must && inUsable >= request) found.add(new Found(mask, size));
  }
}
