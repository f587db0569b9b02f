package dev.patchbay.kubelet.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EvenSplitTest {
  @ParameterizedTest(name = "{6}")
  @CsvSource(
      delimiter = '|',
      value = {
        "8,8     | 8  | 1 | 0     | 8 |     | one node that has enough gives all",
        "6,8     | 8  | 1 | 1     | 8 |     | it is the node with enough, not the first",
        "8,8     | 10 | 1 | 0,1   | 5 |     | two nodes give equal parts",
        "8,8     | 11 | 1 | 0,1   | 5 | 0,1 | the first of equal nodes gives the odd one",
        "7,8     | 11 | 1 | 0,1   | 5 | 1   | the node with more gives the odd one",
        "4,6,8   | 12 | 1 | 1,2   | 6 |     | a node that has less than its part gives none",
        "7,9,9   | 12 | 1 | 1,2   | 6 |     | those nodes give that leave the most even rest",
        "8,8,8   | 18 | 2 | 0,1,2 | 6 |     | three nodes give when two have too few",
        "8,8     | 10 | 2 | 0,1   | 4 | 0,1 | groups are not divided: one node gives a group more",
        "9,9     | 16 | 4 | 0,1   | 8 |     | what is no whole group stays"
      })
  void nodesGiveEqualParts(
      String free,
      int needed,
      int group,
      String nodes,
      int share,
      @Nullable String remainder,
      String why) {
    assertThat(EvenSplit.of(numbers(free), needed, group, 1, numbers(free).length))
        .contains(
            new EvenSplit(list(nodes), share, remainder == null ? List.of() : list(remainder)));
  }

  @Test
  void nodesOfWhichEachHasTooFewGiveNoEqualParts() {
    assertThat(EvenSplit.of(numbers("1,9"), 10, 1, 1, 2)).isEmpty();
  }

  @ParameterizedTest(name = "{0} of {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "0,1,2         | 8 | false | 0,1,2         | three are remembered as they were",
        "0,1,2,3       | 8 | false | 0,1,2,7       | of four the last becomes the last node",
        "0,1,2,3       | 8 | true  | 0,1,2,4       | or the next, when nothing can be better",
        "0,1,2,7       | 8 | true  | 0,1,2,7       | or stays, when the next begins otherwise",
        "0,1,2,3       | 4 | false | 0,1,2,3       | all nodes are all nodes",
        "0,1,2,3,4     | 8 | false | 0,1,2,3,4     | five are remembered as they were",
        "0,1,2,3,4,5   | 8 | false | 0,1,2,3,4,7   | of six the last is lost",
        "0,1,2,3,4,5,6 | 8 | false | 0,1,2,3,4,6,7 | of seven the last two",
        "0,1,2,3,4,5,7 | 8 | true  | 0,1,2,3,4,6,7 | of seven the next has the same five"
      })
  void theKubeletRemembersTheFirstNodesAlone(
      String best, int all, boolean stops, String remembered, String why) {
    assertThat(EvenSplit.remembered(numbers(best), all, stops))
        .containsExactly(numbers(remembered));
  }

  /// Of which 20 nodes there are 10¹¹ combinations.
  @Test
  void ofTooManyNodesToTryTheFullestGive() {
    int[] free = IntStream.rangeClosed(1, 40).map(count -> count * count % 41 + 40).toArray();
    EvenSplit split = EvenSplit.of(free, 20 * 60 + 7, 1, 20, 20).orElseThrow();
    int[] left = free.clone();
    split.nodes().forEach(node -> left[node] -= split.share());
    split.remainder().forEach(node -> left[node]--);
    assertThat(split.nodes()).hasSize(20);
    assertThat(split.remainder()).hasSize(7);
    assertThat(Arrays.stream(left)).as("what all have left").allMatch(count -> count >= 0);
  }

  /// Against every set in every combination, in order. The seed is in the message.
  @Test
  void isTheSplitThatTryingEverythingFinds() {
    for (int seed = 0; seed < 4000; seed++) {
      var random = new Random(seed);
      int[] free = random.ints(1 + random.nextInt(7), 0, 2 + random.nextInt(14)).toArray();
      int group = 1 + random.nextInt(2);
      int most = Arrays.stream(free).sum() / group;
      if (most == 0) continue;
      int needed = group * (1 + random.nextInt(most));
      int count = 1 + random.nextInt(free.length);
      assertThat(EvenSplit.of(free, needed, group, count, count))
          .as("seed %d: %d of %s by %d on %d", seed, needed, Arrays.toString(free), group, count)
          .isEqualTo(Optional.ofNullable(new Everything(free, needed, group, count).split()));
    }
  }

  /// Tries everything, and keeps a list of what it tried.
  private static final class Everything {
    private final int[] free;
    private final int needed;
    private final int group;
    private final int count;

    private Everything(int[] free, int needed, int group, int count) {
      this.free = free;
      this.needed = needed;
      this.group = group;
      this.count = count;
    }

    private @Nullable EvenSplit split() {
      int share = needed / count / group * group;
      List<int[]> tried = combinations(free.length, count);
      int best = -1;
      double least = Double.MAX_VALUE;
      int[] bestRest = {};
      int[] bestGivers = {};
      for (int i = 0; i < tried.size() && least > 0; i++) {
        int[] nodes = tried.get(i);
        int[] after = free.clone();
        for (int node : nodes) after[node] -= share;
        if (Arrays.stream(after).anyMatch(left -> left < 0)) continue;
        int[] givers = Arrays.stream(nodes).filter(node -> after[node] >= group).toArray();
        List<int[]> sets = new ArrayList<>();
        for (int size = givers.length; size > 0; size--)
          sets.addAll(combinations(givers.length, size));
        int over = needed - share * count;
        if (over == 0) sets = List.of(new int[0]);
        for (int[] set : sets) {
          double result = unevenness(after, givers, set, over);
          if (result >= least) continue;
          least = result;
          best = i;
          bestRest = set;
          bestGivers = givers;
        }
      }
      if (best < 0) return null;
      int[] givers = bestGivers;
      List<int[]> seen = least == 0 ? tried.subList(0, Math.min(best + 2, tried.size())) : tried;
      return new EvenSplit(
          Arrays.stream(lastLike(tried.get(best), seen)).boxed().toList(),
          share,
          Arrays.stream(lastLike(bestRest, combinations(givers.length, bestRest.length)))
              .map(place -> givers[place])
              .boxed()
              .toList());
    }

    private double unevenness(int[] after, int[] givers, int[] set, int over) {
      int[] left = after.clone();
      int given = 0;
      for (int turn = 0; turn < over; turn++)
        for (int place : set)
          if (given < over && left[givers[place]] >= group) {
            left[givers[place]] -= group;
            given += group;
          }
      return given < over ? Double.MAX_VALUE : EvenSplit.unevenness(left);
    }

    /// The last of those seen that begins like this one: with 1, 2, 3, 5 or 9 of its nodes.
    private static int[] lastLike(int[] one, List<int[]> seen) {
      int own = Stream.of(9, 5, 3, 2, 1).filter(it -> it <= one.length).findFirst().orElse(0);
      return seen.stream()
          .filter(other -> Arrays.equals(one, 0, own, other, 0, own))
          .reduce((_, later) -> later)
          .orElse(one);
    }

    private static List<int[]> combinations(int all, int size) {
      List<int[]> combinations = new ArrayList<>();
      for (int bits = (1 << all) - 1; bits >= 0; bits--)
        if (Integer.bitCount(bits) == size) combinations.add(places(bits, all));
      return combinations;
    }

    /// The highest bit stands for the first place, so that counting down is the lexical order.
    private static int[] places(int bits, int all) {
      return IntStream.range(0, all)
          .filter(place -> (bits & (1 << (all - 1 - place))) != 0)
          .toArray();
    }
  }

  private static int[] numbers(String list) {
    return Arrays.stream(list.split(",", -1)).mapToInt(Integer::parseInt).toArray();
  }

  private static List<Integer> list(String list) {
    return Arrays.stream(numbers(list)).boxed().toList();
  }
}
