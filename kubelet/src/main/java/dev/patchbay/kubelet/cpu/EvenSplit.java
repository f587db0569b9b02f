package dev.patchbay.kubelet.cpu;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/// From which NUMA nodes a number of CPUs is taken in equal parts, so that what they leave on all
/// nodes is as even as can be. Nodes are named by their place in a given order.
///
/// Few nodes are better than many. Each node of a combination gives the same number of groups of
/// CPUs; what is left over, less than a group for each node, is given by some of these nodes, group
/// by group in turn. A combination is judged by the standard deviation of what is free on all nodes
/// afterwards, rounded to thousandths; of equal ones the first is taken: for the combinations in
/// lexical order, for the nodes that give what is left over the most nodes first.
///
/// The kubelet tries every set of these nodes in every combination, 3ⁿ for n nodes, and builds sets
/// of CPUs for each. Here nodes are numbers of CPUs, and a bound that no distribution of the rest
/// can undercut says where to look: to take each group from the node that has most. Of all
/// combinations that bound is lowest for the fullest nodes; where these cannot give enough, none
/// can. A combination whose bound is not below the best so far is left at once, sets that give the
/// rest are tried until one reaches the bound, and combinations until one reaches that of the
/// fullest nodes. That takes k² steps for each of the combinations of k nodes, 70 at the most of 8
/// nodes, and never more than 1,792 sets there. Of more than 14 nodes there can be more than a
/// million; after as many the fullest nodes are taken. The kubelet has no answer then for which one
/// could wait.
///
/// The kubelet remembers the best combination in memory to which it writes later ones: of a
/// combination of 4, 6, 7 or 8 nodes the last ones (in general those beyond 2ⁱ + 1) become those of
/// the last combination with the same beginning. On a machine of more than four nodes that decides
/// which CPUs a container gets, and so is the same here.
///
/// @param nodes that give equal parts
/// @param share how many CPUs each of them gives
/// @param remainder nodes that give a group more each, in turn, until nothing is left over
record EvenSplit(List<Integer> nodes, int share, List<Integer> remainder) {
  private static final double THOUSAND = 1000;

  /// How many combinations and sets are tried.
  private static final int MOST_TRIES = 1 << 20;

  /// The best split.
  ///
  /// @param free how many CPUs each node has
  /// @param needed a multiple of `group`
  /// @param fewest how many nodes are to give at least
  /// @param most how many nodes are to give at the most
  /// @return none when no nodes can give equal parts
  static Optional<EvenSplit> of(int[] free, int needed, int group, int fewest, int most) {
    for (int count = fewest; count <= most && count <= free.length; count++) {
      var search = new Search(free, needed, group, count);
      if (search.canSucceed()) return Optional.of(search.result());
    }
    return Optional.empty();
  }

  /// What has become of a combination when later ones have been tried.
  ///
  /// @param stops whether only one more was tried
  static int[] remembered(int[] combination, int all, boolean stops) {
    int size = combination.length;
    int own = size < 2 ? size : Integer.highestOneBit(size - 1) + 1;
    int[] left = combination.clone();
    if (stops) return advances(left, own, all) ? left : combination;
    for (int i = own; i < size; i++) left[i] = all - size + i;
    return left;
  }

  /// Shows all combinations of `size` of the first `all` numbers in lexical order, until one is
  /// answered with false.
  private static void combinations(int all, int size, Predicate<int[]> each) {
    int[] chosen = IntStream.range(0, size).toArray();
    boolean more = size <= all;
    while (more) more = each.test(chosen) && advances(chosen, 0, all);
  }

  /// Whether there is a next combination with the same first numbers, which it is then.
  ///
  /// @param first place of the first number that may change
  private static boolean advances(int[] combination, int first, int all) {
    int size = combination.length;
    int last = size - 1;
    while (last >= first && combination[last] == all - size + last) last--;
    if (last < first) return false;
    combination[last]++;
    for (int i = last + 1; i < size; i++) combination[i] = combination[i - 1] + 1;
    return true;
  }

  /// The standard deviation, rounded as the kubelet does.
  static double unevenness(int[] counts) {
    double sum = 0;
    for (int count : counts) sum += count;
    double mean = rounded(sum / counts.length);
    double squares = 0;
    for (int count : counts) squares += (count - mean) * (count - mean);
    return rounded(Math.sqrt(squares / counts.length));
  }

  private static double rounded(double number) {
    return Math.round(number * THOUSAND) / THOUSAND;
  }

  /// Looks for the best combination of one size.
  private static final class Search {
    private final int[] free;
    private final int group;
    private final int share;
    private final int over;
    private final int[] fullest;
    private int tried;
    private double least;
    private double unevenness = Double.MAX_VALUE;
    // The best so far: the nodes, those with a group left after that, and the places among them of
    // those that give what is left over.
    private int[] nodes = {};
    private int[] candidates = {};
    private int[] rest = {};

    private Search(int[] free, int needed, int group, int count) {
      this.free = free;
      this.group = group;
      this.share = needed / count / group * group;
      this.over = needed - share * count;
      this.fullest =
          IntStream.range(0, free.length)
              .boxed()
              .sorted(Comparator.comparingInt(node -> -free[node]))
              .limit(count)
              .sorted()
              .mapToInt(Integer::intValue)
              .toArray();
    }

    private boolean canSucceed() {
      return canGive(fullest);
    }

    private boolean canGive(int[] some) {
      int groups = 0;
      for (int node : some) {
        if (free[node] < share) return false;
        groups += (free[node] - share) / group;
      }
      return groups * group >= over;
    }

    private EvenSplit result() {
      int[] after = after(fullest);
      List<Integer> greedy = greedy(after, candidates(fullest, after));
      least = unevenness(after);
      combinations(free.length, fullest.length, this::tries);
      if (tried > MOST_TRIES) return new EvenSplit(list(fullest), share, greedy);
      int[] last = remembered(nodes, free.length, unevenness == 0);
      int[] places = remembered(rest, candidates.length, false);
      return new EvenSplit(
          list(last),
          share,
          Arrays.stream(places).map(place -> candidates[place]).boxed().toList());
    }

    /// Whether a better one may come.
    private boolean tries(int[] some) {
      if (tried++ > MOST_TRIES) return false;
      if (!canGive(some)) return true;
      int[] after = after(some);
      int[] able = candidates(some, after);
      int[] left = after.clone();
      var _ = greedy(left, able);
      double bound = unevenness(left);
      if (bound >= unevenness) return true;
      var search = new RestSearch(after, able, bound);
      if (search.unevenness >= unevenness) return true;
      unevenness = search.unevenness;
      nodes = some.clone();
      candidates = able;
      rest = search.places;
      return unevenness > least;
    }

    private int[] after(int[] some) {
      int[] after = free.clone();
      for (int node : some) after[node] -= share;
      return after;
    }

    /// Those of the nodes that can give a group more.
    private int[] candidates(int[] some, int[] after) {
      return Arrays.stream(some).filter(node -> after[node] >= group).toArray();
    }

    /// Takes each group that is left over from the node that has most then.
    ///
    /// @return these nodes, in turn
    private List<Integer> greedy(int[] left, int[] able) {
      List<Integer> givers = new ArrayList<>();
      for (int given = 0; given < over; given += group) {
        int most = able[0];
        for (int node : able) if (left[node] > left[most]) most = node;
        left[most] -= group;
        givers.add(most);
      }
      return givers;
    }

    /// The nodes of one combination that best give what is left over.
    private final class RestSearch {
      private final int[] after;
      private final int[] able;
      private final double bound;
      private double unevenness = Double.MAX_VALUE;
      private int[] places = {};

      /// @param bound below which no result can be
      private RestSearch(int[] after, int[] able, double bound) {
        this.after = after;
        this.able = able;
        this.bound = bound;
        if (over == 0) unevenness = bound;
        for (int size = able.length; size > 0 && unevenness > bound; size--)
          combinations(able.length, size, this::tries);
      }

      /// Whether a better one may come.
      private boolean tries(int[] some) {
        if (tried++ > MOST_TRIES) return false;
        int[] left = after.clone();
        if (!give(left, some)) return true;
        double result = EvenSplit.unevenness(left);
        if (result < unevenness) {
          unevenness = result;
          places = some.clone();
        }
        return unevenness > bound;
      }

      /// Takes a group of each node in turn, as long as it has one; whether that was enough.
      private boolean give(int[] left, int[] some) {
        int wanted = over;
        for (boolean more = true; more && wanted > 0; ) {
          more = false;
          for (int place : some) {
            int node = able[place];
            if (wanted == 0 || left[node] < group) continue;
            left[node] -= group;
            wanted -= group;
            more = true;
          }
        }
        return wanted == 0;
      }
    }
  }

  private static List<Integer> list(int[] numbers) {
    return Arrays.stream(numbers).boxed().toList();
  }
}
