package dev.patchbay.kubelet.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceHintsTest {
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # what                               | machine | all               | held | available | reusable | n | hints
          one node is enough                   | 0 1     | 4@0 4@1           |      | 4@0 4@1   |          | 2 | 0! 1! 0+1
          no node is enough                    | 0 1     | 4@0 4@1           |      | 4@0 4@1   |          | 5 | 0+1!
          could have been narrower: taken      | 0 1     | 4@0 4@1           |      | 1@0 2@1   |          | 3 | 0+1
          only one node has enough left        | 0 1     | 4@0 4@1           |      | 1@0 2@1   |          | 2 | 1! 0+1
          nobody has a node                    | 0 1     | 4@-               |      | 4@-       |          | 2 | no preference
          too few are left                     | 0 1     | 4@0 4@1           |      | 1@0 1@1   |          | 3 | impossible
          enough, but not on nodes             | 0 1     | 1@0 3@-           |      | 1@0 3@-   |          | 2 | impossible
          on several nodes, counted once       | 0 1     | 2@0+1 1@1         |      | 2@0+1 1@1 |          | 3 | 1! 0+1
          no node of the machine               | 0 1     | 2@5               |      | 2@5       |          | 1 | impossible
          a node that no mask can have         | 0 1     | 2@64              |      | 2@64      |          | 1 | impossible
          nodes without devices are left out   | 0 1 2 3 | 2@1 2@3           |      | 2@1 2@3   |          | 1 | 1! 3! 1+3
          what init containers had counts      | 0 1     | 4@0 4@1           |      | 1@0 4@1   | 1@0      | 2 | 0! 0+1
          and binds                            | 0 1     | 4@0 4@1           |      | 4@1       | 1@0      | 2 | 0+1
          on no node it neither binds nor adds | 0 1     | 4@0 4@1 1@-       |      | 1@0 4@1   | 1@-      | 2 | 1! 0+1
          held: just these                     | 0 1     | 4@0 4@1           | 2@1  | 4@0 2@1   |          | 2 | 1! 0+1
          held: another number                 | 0 1     | 4@0 4@1           | 1@1  | 4@0 3@1   |          | 2 | impossible
          none is asked for                    | 0 1     | 4@0               |      | 4@0       |          | 0 | 0!
          ids with gaps                        | 0 7     | 1@0 2@7           |      | 1@0 2@7   |          | 2 | 7! 0+7
          by size, then by ids                 | 0 1 2 3 | 1@0 1@1 1@2 1@3   |      | 1@0 1@1 1@2 1@3 |    | 2 | 0+1! 0+2! 0+3! 1+2! 1+3! 2+3! 0+1+2 0+1+3 0+2+3 1+2+3 0+1+2+3
          """)
  void ofTheNewestKubelet(
      String what,
      String machine,
      String all,
      @Nullable String held,
      String available,
      @Nullable String reusable,
      long wanted,
      String hints) {
    assertThat(hints(HintVariant.V1_36, machine, all, held, available, reusable, wanted))
        .isEqualTo(hints);
  }

  @Test
  void olderKubeletsTryNodesWithoutDevices() {
    assertThat(hints(HintVariant.V1_34, "0 1 2", "2@1", "", "2@1", "", 1))
        .isEqualTo("1! 0+1 1+2 0+1+2");
    // Three nodes are the least that they start from, so that one node is always fewer.
    assertThat(hints(HintVariant.V1_34, "0 1 2", "2@1", "", "2@1", "", 2)).startsWith("1!");
    assertThat(hints(HintVariant.V1_36, "0 1 2", "2@1", "", "2@1", "", 1)).isEqualTo("1!");
  }

  private static String hints(
      HintVariant variant,
      String machine,
      String all,
      @Nullable String held,
      String available,
      @Nullable String reusable,
      long wanted) {
    return new DeviceHints(Nodes.mask(machine), variant)
        .of(wanted, devices(all), devices(held), devices(available), devices(reusable))
        .map(hints -> hints.isEmpty() ? "impossible" : Nodes.text(hints))
        .orElse("no preference");
  }

  private static NodeCounts devices(@Nullable String text) {
    return Nodes.devices(text == null ? "" : text);
  }

  @Test
  void thirtySixNodesOfWhichFourHaveDevicesAreFourNodes() {
    var machine = new NumaMask((1L << 36) - 1);
    var counts = Nodes.devices("1@0 1@1 1@18 1@19");
    assertThat(
            new DeviceHints(machine, HintVariant.V1_36)
                .of(1, counts, NodeCounts.NONE, counts, NodeCounts.NONE)
                .orElseThrow())
        .hasSize(15);
  }

  @Test
  void ofManyNodesOnlyNarrowSetsAndGrowingOnesAreTried() {
    var machine = new NumaMask(-1);
    var counts =
        Nodes.devices(
            IntStream.range(0, 64).mapToObj(i -> 4 + "@" + i).collect(Collectors.joining(" ")));
    var hints = new DeviceHints(machine, HintVariant.V1_36);
    var one = hints.of(4, counts, NodeCounts.NONE, counts, NodeCounts.NONE).orElseThrow();
    assertThat(one).hasSizeLessThan(70_000).endsWith(TopologyHint.possible(machine));
    assertThat(one.stream().filter(TopologyHint::preferred)).hasSize(64);
    var forty = hints.of(160, counts, NodeCounts.NONE, counts, NodeCounts.NONE).orElseThrow();
    assertThat(forty.getFirst())
        .as("forty nodes are the fewest that do")
        .isEqualTo(TopologyHint.preferred(new NumaMask((1L << 40) - 1)));
    assertThat(forty).endsWith(TopologyHint.possible(machine));
  }

  @Test
  void countsFollowWhatIsTakenAndGivenBack() {
    var all = Nodes.devices("4@0 2@0+1 3@-");
    var taken = Nodes.devices("1@0 2@0+1 1@-");
    assertThat(all.minus(taken)).isEqualTo(Nodes.devices("3@0 2@-"));
    assertThat(all.minus(taken).plus(taken)).isEqualTo(all);
    assertThat(all.minus(taken).devices()).isEqualTo(5);
    assertThat(all.minus(NodeCounts.NONE)).isEqualTo(all);
  }
}
