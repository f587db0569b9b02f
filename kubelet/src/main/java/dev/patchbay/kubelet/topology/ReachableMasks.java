package dev.patchbay.kubelet.topology;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/// Which masks the product of lists of hints can come to, each element and'ed.
///
/// Nodes that are in the same masks of all lists stay together, so each such class counts as one.
/// Of up to 16 classes the masks reached so far are a table of 2^n flags, and one more list is
/// taken into account either by and'ing every mask with every hint's, or at once: the number of
/// pairs whose masks both contain `z` is the product of two counts over the supersets of `z`, and
/// undoing the sum over supersets gives the number of pairs that come to exactly `z`. That takes n
/// * 2^n additions instead of up to 4^n steps.
///
/// With more classes the masks are a set, exact as long as a list takes no more than 2^22 steps.
/// Beyond that, where the kubelet would not end, only the best masks so far and the one with the
/// most nodes are taken further.
final class ReachableMasks {
  private static final int DENSE = 16;
  private static final int MOST_STEPS = 1 << 22;

  private ReachableMasks() {}

  /// The masks with at least one node, each once.
  ///
  /// @param all what a hint without a mask stands for
  /// @param better orders masks, the best first; matters only where there are too many
  static Stream<NumaMask> of(
      NumaMask all, List<List<TopologyHint>> lists, Comparator<NumaMask> better) {
    long[][] masks = lists.stream().map(list -> masksOf(list, all)).toArray(long[][]::new);
    long distinct = all.size() <= DENSE ? all.bits() : onePerClass(all, masks);
    LongStream reached =
        Long.bitCount(distinct) <= DENSE ? dense(masks, all, distinct) : sparse(masks, all, better);
    return reached.filter(mask -> mask != 0).mapToObj(NumaMask::new);
  }

  private static long[] masksOf(List<TopologyHint> list, NumaMask all) {
    long[] masks = new long[list.size()];
    int count = 0;
    for (TopologyHint hint : list) {
      var mask = hint.mask();
      masks[count++] = mask.isPresent() ? mask.get().bits() & all.bits() : all.bits();
    }
    return masks;
  }

  /// The lowest node of each class.
  private static long onePerClass(NumaMask all, long[][] masks) {
    long representatives = 0;
    for (long left = all.bits(); left != 0; ) {
      long node = Long.lowestOneBit(left);
      representatives |= node;
      left &= ~classOf(node, left, masks);
    }
    return representatives;
  }

  private static long classOf(long node, long among, long[][] masks) {
    long together = among;
    for (long[] list : masks) for (long mask : list) together &= (mask & node) != 0 ? mask : ~mask;
    return together;
  }

  private static LongStream dense(long[][] masks, NumaMask all, long distinct) {
    int size = 1 << Long.bitCount(distinct);
    boolean[] reached = new boolean[size];
    reached[size - 1] = true;
    for (long[] list : masks) {
      int[] packed =
          LongStream.of(list).mapToInt(mask -> (int) Long.compress(mask, distinct)).toArray();
      reached = next(reached, packed);
    }
    boolean[] last = reached;
    return IntStream.range(0, size)
        .filter(packed -> last[packed])
        .mapToLong(packed -> widened(Long.expand(packed, distinct), all, distinct, masks));
  }

  /// A mask of representatives with all nodes of their classes.
  private static long widened(long mask, NumaMask all, long distinct, long[][] masks) {
    if (distinct == all.bits()) return mask;
    long wide = 0;
    for (long left = mask; left != 0; left &= left - 1)
      wide |= classOf(Long.lowestOneBit(left), all.bits(), masks);
    return wide;
  }

  private static boolean[] next(boolean[] reached, int[] list) {
    int before = 0;
    for (boolean flag : reached) if (flag) before++;
    int nodes = Integer.numberOfTrailingZeros(reached.length);
    return (long) before * list.length <= 2L * nodes * reached.length
        ? byPairs(reached, list)
        : bySums(reached, list);
  }

  private static boolean[] byPairs(boolean[] reached, int[] list) {
    boolean[] after = new boolean[reached.length];
    for (int mask = 0; mask < reached.length; mask++)
      if (reached[mask]) for (int hint : list) after[mask & hint] = true;
    return after;
  }

  private static boolean[] bySums(boolean[] reached, int[] list) {
    long[] pairs = new long[reached.length];
    for (int mask = 0; mask < reached.length; mask++) pairs[mask] = reached[mask] ? 1 : 0;
    long[] hints = new long[reached.length];
    for (int hint : list) hints[hint] = 1;
    overSupersets(pairs, 1);
    overSupersets(hints, 1);
    for (int mask = 0; mask < pairs.length; mask++) pairs[mask] *= hints[mask];
    overSupersets(pairs, -1);
    boolean[] after = new boolean[pairs.length];
    for (int mask = 0; mask < pairs.length; mask++) after[mask] = pairs[mask] != 0;
    return after;
  }

  private static void overSupersets(long[] values, int sign) {
    for (int node = 1; node < values.length; node <<= 1)
      for (int mask = 0; mask < values.length; mask++)
        if ((mask & node) == 0) values[mask] += sign * values[mask | node];
  }

  private static LongStream sparse(long[][] masks, NumaMask all, Comparator<NumaMask> better) {
    Set<Long> reached = Set.of(all.bits());
    for (long[] list : masks) {
      Set<Long> after = new HashSet<>();
      for (long mask : fewEnough(reached, list.length, better))
        for (long hint : list) after.add(mask & hint);
      reached = after;
    }
    return reached.stream().mapToLong(Long::longValue);
  }

  private static long[] fewEnough(Set<Long> reached, int hints, Comparator<NumaMask> better) {
    int most = MOST_STEPS / Math.max(1, hints);
    long[] masks = reached.stream().mapToLong(Long::longValue).filter(mask -> mask != 0).toArray();
    if (masks.length <= most) return masks;
    long[] best =
        LongStream.of(masks)
            .mapToObj(NumaMask::new)
            .sorted(better)
            .limit(most)
            .mapToLong(NumaMask::bits)
            .toArray();
    long widest =
        Arrays.stream(masks)
            .mapToObj(NumaMask::new)
            .max(Comparator.naturalOrder())
            .orElseThrow()
            .bits();
    return LongStream.concat(LongStream.of(best), LongStream.of(widest)).distinct().toArray();
  }
}
