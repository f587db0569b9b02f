package dev.patchbay.kubelet.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopologyPolicyTest {
  private static final NumaMachine TWO = NumaMachine.regular(2, 4, 1 << 30);
  private static final NumaMachine FOUR = NumaMachine.regular(4, 4, 1 << 30);

  /// Sources are divided by `/`, a source's resources by `;`.
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      emptyValue = "",
      textBlock =
          """
          # what                                     | hints                      | best-effort | restricted | single-numa-node
          no source                                  | ''                         | 0+1!        | 0+1!       | any
          a source without resources                 | ' '                        | 0+1!        | 0+1!       | any
          no preference                              | -                          | 0+1!        | 0+1!       | any
          impossible                                 | ;                          | 0+1         | refused    | refused
          the lower of two nodes                     | 0! 1! 0+1                  | 0!          | 0!         | 0!
          one preferred, the other has none          | 0! 1! 0+1 ; -              | 0!          | 0!         | 0!
          one preferred, the other impossible        | 0! 1! 0+1 / ;-             | 0           | refused    | refused
          both on the second node                    | 0! 1! 0+1 ; 1! 0+1         | 1!          | 1!         | 1!
          of two sources                             | 0! 1! 0+1 / 1! 0+1         | 1!          | 1!         | 1!
          each on another node                       | 0! 0+1 ; 1! 0+1            | 0           | refused    | refused
          both nodes are preferred                   | 0+1! ; 0+1!                | 0+1!        | 0+1!       | refused
          both nodes are needed by one               | 0+1! ; 0! 1! 0+1           | 0+1         | refused    | refused
          not preferred on both                      | 0+1                        | 0+1         | refused    | refused
          not preferred and no preference            | 0+1 ; -                    | 0+1         | refused    | refused
          a preferred mask and any                   | 1! any                     | 1!          | 1!         | 1!
          nodes that the machine has not             | 7!                         | 0+1         | refused    | refused
          """)
  void merges(
      String what, @Nullable String hints, String bestEffort, String restricted, String single) {
    List<SortedMap<String, Optional<List<TopologyHint>>>> answers = new ArrayList<>();
    if (hints != null && !hints.isEmpty())
      for (String answer : hints.split("/", -1)) answers.add(source(answer));
    assertThat(
            Stream.of("best-effort", "restricted", "single-numa-node")
                .map(policy ->
                    TopologyPolicy.of(TopologySettings.of(policy, "container"), TWO).merge(answers))
                .map(TopologyPolicyTest::text))
        .containsExactly(bestEffort, restricted, single);
  }

  /// A lone `;` is one impossible resource, an empty text a source without any.
  private static SortedMap<String, Optional<List<TopologyHint>>> source(String text) {
    return text.isBlank() ? new TreeMap<>() : Nodes.answer(text.strip());
  }

  private static String text(Merged merged) {
    return merged.admitted() ? Nodes.text(merged.hint()) : "refused";
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # what                                      | hints                              | best
          as many nodes as the neediest needs         | 0+1 2+3 ; 0 0+1+2                  | 0+1
          rather fewer than more                      | 0+1+2 ; 1+2+3 0+3                  | 1+2
          the most of those with fewer                | 0+1+2+3 ; 0 1+2                    | 1+2
          the fewest of those with more               | 0+1+2 0+1+2+3 ; none               | 0+1+2
          more only when there are no fewer           | 0 0+1+2 / 1 0+1+2                  | 0
          preferred beats what fits                   | 0! 1+2 ; 0! 1+2                    | 0!
          of equal size the lower number              | 1+2 0+3 ; none                     | 1+2
          """)
  void amongThoseThatAreNotPreferred(String what, String hints, String best) {
    List<SortedMap<String, Optional<List<TopologyHint>>>> answers =
        Stream.of(hints.split("/", -1)).map(Nodes::answer).toList();
    var policy = TopologyPolicy.of(TopologySettings.of("best-effort", "container"), FOUR);
    assertThat(Nodes.text(policy.merge(answers).hint())).isEqualTo(best);
  }

  @Test
  void onOneNodeSingleNumaNodeHasNoMask() {
    var one = NumaMachine.regular(1, 4, 1 << 30);
    var policy = TopologyPolicy.of(TopologySettings.of("single-numa-node", "pod"), one);
    assertThat(policy.merge(List.of(Nodes.answer("0!"))))
        .isEqualTo(new Merged(TopologyHint.ANY, true));
    assertThat(policy.merge(List.of(Nodes.answer("0"))))
        .isEqualTo(new Merged(TopologyHint.NONE, false));
  }

  @Test
  void underNoneEverythingIsAdmitted() {
    var policy = TopologyPolicy.of(TopologySettings.DEFAULTS, TWO);
    assertThat(policy.merge(List.of(Nodes.answer("0"))))
        .isEqualTo(new Merged(TopologyHint.NONE, true));
    assertThat(policy.scope()).isEqualTo(TopologyPolicy.Scope.NONE);
  }

  @ParameterizedTest
  @CsvSource({
    "best-effort, false, 0+1!",
    "best-effort, true, 1+2!",
    "restricted, true, 1+2!",
    "best-effort, 0, 0+1!"
  })
  void theClosestNodesWhenTheyAreWanted(String policy, String closest, String best) {
    var far =
        FOUR.withDistances(
            List.of(
                List.of(10, 30, 30, 30),
                List.of(30, 10, 11, 30),
                List.of(30, 11, 10, 30),
                List.of(30, 30, 30, 10)));
    var settings =
        TopologySettings.of(policy, "container").with("prefer-closest-numa-nodes", closest);
    assertThat(
            Nodes.text(
                TopologyPolicy.of(settings, far)
                    .merge(List.of(Nodes.answer("0+1! 1+2! 2+3! 0+1+2")))
                    .hint()))
        .isEqualTo(best);
  }

  @ParameterizedTest(name = "{0} {1} {2}={3} on {4} nodes")
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          # policy     | scope     | option                    | value | nodes | text
          best-effort  | container | unheard-of                | 1     | 2     | unknown Topology Manager Policy option: "unheard-of"
          unheard-of   | container | unheard-of                | 1     | 99    | unknown Topology Manager Policy option: "unheard-of"
          best-effort  | container | prefer-closest-numa-nodes | maybe | 2     | bad value for option "prefer-closest-numa-nodes": strconv.ParseBool: parsing "maybe": invalid syntax
          best-effort  | container | max-allowable-numa-nodes  | many  | 2     | unable to convert policy option to integer "max-allowable-numa-nodes": strconv.Atoi: parsing "many": invalid syntax
          best-effort  | container | max-allowable-numa-nodes  | 99999999999999999999 | 2 | unable to convert policy option to integer "max-allowable-numa-nodes": strconv.Atoi: parsing "99999999999999999999": value out of range
          best-effort  | container | max-allowable-numa-nodes  | 7     | 2     | the minimum value of "max-allowable-numa-nodes" should not be less than 8
          unheard-of   | unheard-of| -                         | -     | 9     | unsupported on machines with more than 8 NUMA Nodes
          restricted   | container | max-allowable-numa-nodes  | 12    | 13    | unsupported on machines with more than 12 NUMA Nodes
          unheard-of   | unheard-of| max-allowable-numa-nodes  | 12    | 12    | unknown policy: "unheard-of"
          best-effort  | none      | -                         | -     | 2     | unknown scope: "none"
          best-effort  | pod       | max-allowable-numa-nodes  | 65    | 65    | NUMA node 64 in a mask; bit number must be in range 0-63
          """)
  void saysWhatIsWrongInTheKubeletsOrder(
      String policy,
      String scope,
      @Nullable String option,
      @Nullable String value,
      int nodes,
      String text) {
    var settings = TopologySettings.of(policy, scope);
    var all = option == null || value == null ? settings : settings.with(option, value);
    assertThatThrownBy(() -> TopologyPolicy.of(all, NumaMachine.regular(nodes, 1, 0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(text);
  }

  @Test
  void theClosestNodesNeedDistances() {
    var unknown = TWO.withDistances(List.of(List.of(10, 20), List.of()));
    var settings =
        TopologySettings.of("unheard-of", "container").with("prefer-closest-numa-nodes", "true");
    assertThatThrownBy(() -> TopologyPolicy.of(settings, unknown))
        .hasMessage("cannot discover NUMA topology: error getting NUMA distances from cadvisor");
    var few = TWO.withDistances(List.of(List.of(10, 20), List.of(10)));
    var right = TopologySettings.of("restricted", "pod").with("prefer-closest-numa-nodes", "true");
    assertThatThrownBy(() -> TopologyPolicy.of(right, few))
        .hasMessage(
            "cannot discover NUMA topology: NUMA node 1 has 1 distances; needed are 2, one for each node");
  }

  @Test
  void underNoneNothingElseIsLookedAt() {
    var wild = new TopologySettings("none", "?", new TreeMap<>(), HintVariant.V1_36, true);
    assertThat(TopologyPolicy.of(wild.with("?", "?"), NumaMachine.regular(99, 1, 0)).name())
        .isEqualTo(TopologyPolicy.Name.NONE);
  }

  @Test
  void untilItIsStableAnOptionNeedsItsGate() {
    var settings =
        new TopologySettings("best-effort", "pod", new TreeMap<>(), HintVariant.V1_34, false)
            .with("max-allowable-numa-nodes", "9");
    assertThatThrownBy(() -> TopologyPolicy.of(settings, TWO))
        .hasMessage(
            "topology manager policy beta-level options not enabled, but option \"max-allowable-numa-nodes\" provided");
    assertThat(TopologyPolicy.of(settings.withBetaOptions(true), TWO).allNodes())
        .isEqualTo(NumaMask.of(0, 1));
  }

  /// The kubelet looks at each of 255^6 combinations.
  @Test
  void sixResourcesOnEightNodesAreMerged() {
    var eight = NumaMachine.regular(8, 4, 1 << 30);
    var policy = TopologyPolicy.of(TopologySettings.of("best-effort", "container"), eight);
    List<SortedMap<String, Optional<List<TopologyHint>>>> answers =
        IntStream.range(0, 6)
            .mapToObj(i -> {
              List<TopologyHint> hints =
                  NumaSubsets.of(policy.allNodes()).stream()
                      .map(mask ->
                          mask.size() == 1 && mask.contains(i)
                              ? TopologyHint.preferred(mask)
                              : TopologyHint.possible(mask))
                      .toList();
              SortedMap<String, Optional<List<TopologyHint>>> answer = new TreeMap<>();
              answer.put("resource-" + i, Optional.of(hints));
              return answer;
            })
            .toList();
    assertThat(policy.merge(answers))
        .isEqualTo(new Merged(TopologyHint.possible(NumaMask.of(0)), true));
  }

  @Test
  void manyNodesAreMergedAsFarAsTheyDiffer() {
    var settings =
        TopologySettings.of("restricted", "container").with("max-allowable-numa-nodes", "64");
    var policy = TopologyPolicy.of(settings, NumaMachine.regular(64, 1, 1 << 30));
    assertThat(Nodes.text(policy.merge(List.of(Nodes.answer("40! 41! 40+41 ; 41! 40+41"))).hint()))
        .isEqualTo("41!");
    var effort =
        TopologyPolicy.of(
            TopologySettings.of("best-effort", "pod").with("max-allowable-numa-nodes", "64"),
            NumaMachine.regular(64, 1, 1 << 30));
    assertThat(Nodes.text(effort.merge(List.of(Nodes.answer("40+41+42 ; 41+42+63"))).hint()))
        .isEqualTo("41+42");
    assertThat(Nodes.text(effort.merge(List.of(Nodes.answer("0+1+2+3 ; -"))).hint()))
        .isEqualTo("0+1+2+3");
  }

  @Test
  void ofManyNodesThatAllDifferTheMergeStillEnds() {
    var settings =
        TopologySettings.of("best-effort", "container").with("max-allowable-numa-nodes", "64");
    var policy = TopologyPolicy.of(settings, NumaMachine.regular(40, 1, 1 << 30));
    var counts = NodeCounts.of(IntStream.range(0, 40).mapToObj(List::of).toList());
    var left = NodeCounts.of(IntStream.range(1, 40).mapToObj(List::of).toList());
    SortedMap<String, Optional<List<TopologyHint>>> answer = new TreeMap<>();
    for (int wanted = 1; wanted <= 3; wanted++)
      answer.put(
          "resource-" + wanted,
          policy.deviceHints().of(wanted, counts, NodeCounts.NONE, left, NodeCounts.NONE));
    var merged = policy.merge(List.of(answer)).hint();
    assertThat(merged.mask().orElseThrow().size()).as("%s", merged).isEqualTo(3);
  }
}
