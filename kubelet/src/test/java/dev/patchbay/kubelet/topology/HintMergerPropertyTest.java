package dev.patchbay.kubelet.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The merge finds what walking through all combinations finds.
class HintMergerPropertyTest {
  @ParameterizedTest(name = "{0} cases of {1} to {2} nodes, up to {3} lists of up to {4} hints")
  @CsvSource({
    "20000, 1, 4, 3, 8",
    "3000, 1, 4, 3, 20",
    "2000, 2, 5, 5, 5",
    "600, 5, 8, 3, 25",
    "30000, 5, 8, 3, 3",
    "30, 7, 8, 2, 200"
  })
  void ofAnyHints(int cases, int fewestNodes, int mostNodes, int mostLists, int mostHints) {
    Seeds.each(
        cases,
        random -> {
          NumaMask all = nodes(random, random.nextInt(fewestNodes, mostNodes + 1));
          List<List<TopologyHint>> lists = new ArrayList<>();
          for (int i = random.nextInt(mostLists + 1); i > 0; i--)
            lists.add(anyHints(random, all, random.nextInt(mostHints + 1)));
          compare(random, all, lists);
        });
  }

  @ParameterizedTest(name = "{0} cases of {1} to {2} nodes, up to {3} resources")
  @CsvSource({"4000, 1, 4, 3", "300, 1, 4, 4", "40, 5, 6, 3", "15, 7, 8, 2"})
  void ofHintsOfDevices(int cases, int fewestNodes, int mostNodes, int mostLists) {
    Seeds.each(
        cases,
        random -> {
          NumaMask all = nodes(random, random.nextInt(fewestNodes, mostNodes + 1));
          List<List<TopologyHint>> lists = new ArrayList<>();
          for (int i = random.nextInt(mostLists) + 1; i > 0; i--)
            lists.add(
                random.nextInt(6) == 0 ? List.of(TopologyHint.ANY) : deviceHints(random, all));
          compare(random, all, lists);
        });
  }

  private static void compare(Random random, NumaMask all, List<List<TopologyHint>> lists) {
    List<List<Integer>> distances = random.nextBoolean() ? List.of() : distances(random, all);
    Distances ours =
        distances.isEmpty() ? Distances.NOT_LOOKED_AT : Distances.of(machine(all, distances));
    assertThat(new HintMerger(all, ours).merge(lists))
        .as("nodes %s, distances %s, lists %s", all, distances, lists)
        .isEqualTo(NaiveMerge.merge(all, distances, lists));
    List<List<TopologyHint>> shuffled = new ArrayList<>(lists);
    Collections.shuffle(shuffled, random);
    assertThat(new HintMerger(all, ours).merge(shuffled))
        .as("in another order: %s", shuffled)
        .isEqualTo(new HintMerger(all, ours).merge(lists));
  }

  /// Mostly without gaps.
  private static NumaMask nodes(Random random, int count) {
    int most = random.nextInt(4) == 0 ? 12 : count;
    List<Integer> ids = new ArrayList<>(IntStream.range(0, most).boxed().toList());
    Collections.shuffle(ids, random);
    return NumaMask.of(ids.subList(0, count));
  }

  /// Any masks at all: also empty ones, and ones with nodes that the machine has not.
  private static List<TopologyHint> anyHints(Random random, NumaMask all, int count) {
    List<TopologyHint> hints = new ArrayList<>();
    int outside = random.nextInt(8) == 0 ? 1 << 9 : 0;
    for (int i = 0; i < count; i++) {
      NumaMask mask = new NumaMask(anyBits(random) & (all.bits() | outside));
      boolean preferred = random.nextInt(3) == 0;
      hints.add(
          switch (random.nextInt(12)) {
            case 0 -> preferred ? TopologyHint.ANY : TopologyHint.NONE;
            default -> preferred ? TopologyHint.preferred(mask) : TopologyHint.possible(mask);
          });
    }
    return hints;
  }

  /// Few, half or most of them.
  private static long anyBits(Random random) {
    long bits = random.nextLong();
    return switch (random.nextInt(3)) {
      case 0 -> bits & random.nextLong();
      case 1 -> bits | random.nextLong();
      default -> bits;
    };
  }

  private static List<TopologyHint> deviceHints(Random random, NumaMask all) {
    List<Integer> nodes = new ArrayList<>(all.nodes());
    List<List<Integer>> devices = new ArrayList<>();
    for (int i = random.nextInt(1, 12); i > 0; i--)
      devices.add(List.of(nodes.get(random.nextInt(nodes.size()))));
    var counts = NodeCounts.of(devices);
    var available = NodeCounts.of(devices.subList(0, random.nextInt(1, devices.size() + 1)));
    var hints =
        new DeviceHints(all, random.nextBoolean() ? HintVariant.V1_34 : HintVariant.V1_36)
            .of(
                random.nextInt(1, devices.size() + 1),
                counts,
                NodeCounts.NONE,
                available,
                NodeCounts.NONE)
            .orElseThrow();
    return hints.isEmpty() ? List.of(TopologyHint.NONE) : hints;
  }

  /// By id; few different ones, so that many are equal, and not the same in both directions.
  private static List<List<Integer>> distances(Random random, NumaMask all) {
    int size = all.nodes().last() + 1;
    List<List<Integer>> rows = new ArrayList<>();
    for (int row = 0; row < size; row++) {
      List<Integer> distances = new ArrayList<>();
      for (int column = 0; column < size; column++)
        distances.add(row == column ? 10 : 11 + random.nextInt(4));
      rows.add(distances);
    }
    return rows;
  }

  private static NumaMachine machine(NumaMask all, List<List<Integer>> distances) {
    return new NumaMachine(
        all.nodes().stream()
            .map(id -> new NumaMachine.Node(id, 0, new TreeMap<>(), distances.get(id), List.of()))
            .toList());
  }
}
