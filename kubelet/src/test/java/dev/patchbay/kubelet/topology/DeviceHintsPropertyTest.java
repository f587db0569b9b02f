package dev.patchbay.kubelet.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Counting finds what looking at every device for every set of nodes finds, in the same order.
class DeviceHintsPropertyTest {
  @ParameterizedTest(name = "{0} cases of up to {1} nodes")
  @CsvSource({"20000, 4", "300, 8"})
  void ofAnyDevices(int cases, int mostNodes) {
    Seeds.each(cases, random -> compare(random, mostNodes));
  }

  private static void compare(Random random, int mostNodes) {
    SortedSet<Integer> machine = new TreeSet<>();
    int count = random.nextInt(1, mostNodes + 1);
    int most = random.nextInt(3) == 0 ? 64 : count;
    while (machine.size() < count) machine.add(random.nextInt(most));
    List<Collection<Integer>> all = new ArrayList<>();
    List<Collection<Integer>> available = new ArrayList<>();
    List<Collection<Integer>> reusable = new ArrayList<>();
    int devices = random.nextInt(1, 24);
    int reused = random.nextInt(6) == 0 ? 4 : 0;
    for (int i = 0; i < devices; i++) {
      Collection<Integer> nodes = anyNodes(random, new ArrayList<>(machine));
      all.add(nodes);
      if (i < reused) reusable.add(nodes);
      else if (random.nextInt(4) > 0) available.add(nodes);
    }
    int wanted = random.nextInt(devices + 2);
    var variant = random.nextBoolean() ? HintVariant.V1_34 : HintVariant.V1_36;
    Optional<List<TopologyHint>> expected =
        all.stream().allMatch(Collection::isEmpty)
            ? Optional.empty()
            : available.size() + reusable.size() < wanted
                ? Optional.of(List.of())
                : Optional.of(
                    new NaiveHints(machine, variant).of(wanted, all, available, reusable));
    assertThat(
            new DeviceHints(NumaMask.of(machine), variant)
                .of(
                    wanted,
                    NodeCounts.of(all),
                    NodeCounts.NONE,
                    NodeCounts.of(available),
                    NodeCounts.of(reusable)))
        .as(
            "%d of %s, available %s, reusable %s, machine %s, %s",
            wanted, all, available, reusable, machine, variant)
        .isEqualTo(expected);
  }

  /// Mostly one; also several, none, and nodes that the machine has not or no mask can have.
  private static Collection<Integer> anyNodes(Random random, List<Integer> machine) {
    SortedSet<Integer> nodes = new TreeSet<>();
    int count = random.nextInt(4) == 0 ? random.nextInt(4) : 1;
    for (int i = 0; i < count; i++)
      nodes.add(
          random.nextInt(30) == 0
              ? random.nextInt(80)
              : machine.get(random.nextInt(machine.size())));
    return nodes;
  }
}
