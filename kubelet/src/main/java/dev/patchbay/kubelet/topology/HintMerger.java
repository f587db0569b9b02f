package dev.patchbay.kubelet.topology;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Finds the best of all combinations of hints, one from each list, without walking through them.
///
/// The kubelet takes every element of the product of all lists in order and keeps the better of it
/// and the best before. A combination counts as its mask, which is all its masks and'ed, with
/// whether it is preferred: all its hints are, and their masks are the same. Three facts make that
/// short.
///
/// 1. The kubelet's comparison is a total order. With B nodes in the largest of the lists'
///    narrowest masks, of two combinations with a mask that is not empty the preferred one is
///    better. Both preferred: the fitter one, which has fewer nodes; with as many, the shorter
///    distances, where these count; else the smaller number. Neither preferred: going through the
///    cases of the comparison shows that those with B nodes come first, then those with fewer, the
///    most nodes first, then those with more, the fewest first; the fitter of those with as many.
///    Combinations that are equal in this order are equal. So the order of the product does not
///    matter, and the result is the least element of the set of combinations.
/// 2. A preferred combination has one mask `m`, or none. It exists when every list has `m`
///    preferred, or a preferred hint without a mask. That is an intersection of sets.
/// 3. If none of these has a mask that is not empty, preference plays no part, and all that is
///    needed is which masks can be reached: at most 2^n. They are found list by list, since what a
///    further list makes of a mask depends on that mask alone; see [ReachableMasks].
///
/// @param all all nodes of the machine
/// @param distances between them, when the closest nodes are wanted
record HintMerger(NumaMask all, Distances distances) {
  /// The best combination. All nodes, preferred, when there is no list; all nodes, not preferred,
  /// when no combination has a node left.
  TopologyHint merge(List<List<TopologyHint>> lists) {
    return bestPreferred(lists)
        .map(TopologyHint::preferred)
        .or(() -> bestOther(lists).map(TopologyHint::possible))
        .orElse(TopologyHint.possible(all));
  }

  private Optional<NumaMask> bestPreferred(List<List<TopologyHint>> lists) {
    Set<NumaMask> anyList = new HashSet<>();
    Optional<Set<NumaMask>> everyList = Optional.empty();
    for (List<TopologyHint> list : lists) {
      Set<NumaMask> masks = new HashSet<>();
      boolean anywhere = false;
      for (TopologyHint hint : list)
        if (hint.preferred()) {
          hint.mask().ifPresent(masks::add);
          anywhere |= hint.mask().isEmpty();
        }
      if (anywhere) {
        anyList.addAll(masks);
      } else {
        everyList.ifPresent(masks::retainAll);
        everyList = Optional.of(masks);
      }
    }
    if (everyList.isEmpty()) anyList.add(all);
    return everyList.orElse(anyList).stream()
        .map(all::and)
        .filter(mask -> !mask.isEmpty())
        .min(fitter());
  }

  private Optional<NumaMask> bestOther(List<List<TopologyHint>> lists) {
    int wanted = lists.stream().mapToInt(HintMerger::narrowest).max().orElse(0);
    Comparator<NumaMask> better =
        Comparator.<NumaMask>comparingInt(mask -> rank(mask.size(), wanted))
            .thenComparing(fitter());
    return ReachableMasks.of(all, lists, better).min(better);
  }

  /// The size of the list's narrowest mask; 0 without masks.
  private static int narrowest(List<TopologyHint> list) {
    int narrowest = NumaMask.MAX_NODES + 1;
    for (TopologyHint hint : list)
      if (hint.mask().isPresent()) narrowest = Math.min(narrowest, hint.mask().get().size());
    return narrowest > NumaMask.MAX_NODES ? 0 : narrowest;
  }

  /// The smaller the better: exactly as many nodes as wanted, then fewer, then more.
  private static int rank(int size, int wanted) {
    return size <= wanted ? wanted - size : size;
  }

  private Comparator<NumaMask> fitter() {
    return Comparator.comparingInt(NumaMask::size)
        .thenComparingLong(distances::sumWithin)
        .thenComparing(Comparator.naturalOrder());
  }
}
