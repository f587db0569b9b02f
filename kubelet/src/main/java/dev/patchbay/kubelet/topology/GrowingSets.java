package dev.patchbay.kubelet.topology;

import java.util.Arrays;

/// Sets of many NUMA nodes, each with one node more than the one before: that which adds most.
final class GrowingSets {
  private GrowingSets() {}

  /// Subsets of up to some size and the whole set last, with one growing set of each size between.
  ///
  /// @param available whose devices are to be touched
  /// @param first whose devices are to be touched before
  static long[] between(long[] sets, NumaMask nodes, NodeCounts available, NodeCounts first) {
    int widest = Long.bitCount(sets[sets.length - 2]);
    int between = nodes.size() - 1 - widest;
    long[] all = Arrays.copyOf(sets, sets.length + between);
    all[all.length - 1] = sets[sets.length - 1];
    NumaMask set = NumaMask.EMPTY;
    for (int size = 1; size < nodes.size(); size++) {
      set = set.or(best(set, nodes.without(set), available, first));
      if (size > widest) all[sets.length - 2 + size - widest] = set.bits();
    }
    return all;
  }

  private static NumaMask best(
      NumaMask set, NumaMask others, NodeCounts available, NodeCounts first) {
    NumaMask best = NumaMask.EMPTY;
    long bestGain = -1;
    for (int node : others.nodes()) {
      NumaMask more = set.or(NumaMask.of(node));
      long gain = ((long) first.touching(more) << Integer.SIZE) + available.touching(more);
      if (gain > bestGain) {
        bestGain = gain;
        best = NumaMask.of(node);
      }
    }
    return best;
  }
}
