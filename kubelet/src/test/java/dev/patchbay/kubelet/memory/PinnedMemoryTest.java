package dev.patchbay.kubelet.memory;

import static dev.patchbay.kubelet.cpu.Guaranteed.MI;
import static dev.patchbay.kubelet.cpu.Guaranteed.container;
import static dev.patchbay.kubelet.cpu.Guaranteed.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.NumaMask;
import dev.patchbay.kubelet.topology.TopologyHint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// On a machine of three NUMA nodes with 1,000 MiB each, of which 100 are reserved on the first.
/// The first two have 100 huge pages of 2 MiB, so that 700, 800 and 1,000 MiB of memory are left.
class PinnedMemoryTest {
  private static final NumaMachine MACHINE = machine();
  private static final PinnedMemory UNUSED =
      PinnedMemory.start(MemorySettings.reservingOn(0), MACHINE);

  private static NumaMachine machine() {
    List<NumaMachine.Node> nodes = new ArrayList<>();
    for (int id = 0; id < 3; id++) {
      var huge = new TreeMap<Long, Long>();
      if (id < 2) huge.put(2 * MI, 100L);
      nodes.add(new NumaMachine.Node(id, 1000 * MI, huge, List.of(), List.of()));
    }
    return new NumaMachine(nodes);
  }

  private static ContainerSpec asking(String name, long memoryMi) {
    return container(name, Map.of("cpu", 100L, "memory", memoryMi * MI));
  }

  private static ContainerSpec asking(String name, long memoryMi, long hugeMi) {
    return container(
        name, Map.of("cpu", 100L, "memory", memoryMi * MI, "hugepages-2Mi", hugeMi * MI));
  }

  private static PinnedMemory admit(PinnedMemory memory, PodSpec pod) {
    return admit(memory, pod, TopologyHint.NONE);
  }

  private static PinnedMemory admit(PinnedMemory memory, PodSpec pod, TopologyHint affinity) {
    PinnedMemory next = memory;
    for (ContainerSpec container : pod.allContainers())
      next =
          switch (next.reserve(pod, container, affinity)) {
            case MemoryDecision.Granted granted -> granted.next();
            case MemoryDecision.Refused refused -> throw new AssertionError(refused.text());
          };
    return next;
  }

  private static String refusal(PinnedMemory memory, PodSpec pod, TopologyHint affinity) {
    return switch (memory.reserve(pod, pod.containers().getFirst(), affinity)) {
      case MemoryDecision.Granted granted -> "granted " + granted.blocks();
      case MemoryDecision.Refused refused -> refused.text();
    };
  }

  private static MemoryBlock block(long sizeMi, String type, int... nodes) {
    return new MemoryBlock(NumaMask.of(nodes), type, sizeMi * MI);
  }

  @Test
  void allocatableIsWhatIsNeitherReservedNorInHugePages() {
    assertThat(UNUSED.allocatable())
        .containsExactly(
            block(200, "hugepages-2Mi", 0),
            block(700, "memory", 0),
            block(200, "hugepages-2Mi", 1),
            block(800, "memory", 1),
            block(1000, "memory", 2));
  }

  @Test
  void hintsGroupsThatHaveEveryTypeAndPrefersTheSmallest() {
    PodSpec pod = pod("p", asking("main", 750, 100));

    var hints = UNUSED.hints(pod, pod.containers().getFirst());

    List<TopologyHint> expected =
        List.of(
            TopologyHint.preferred(NumaMask.of(1)),
            TopologyHint.possible(NumaMask.of(0, 1)),
            TopologyHint.possible(NumaMask.of(0, 2)),
            TopologyHint.possible(NumaMask.of(1, 2)),
            TopologyHint.possible(NumaMask.of(0, 1, 2)));
    assertThat(hints.get("memory")).contains(expected);
    assertThat(hints.get("hugepages-2Mi")).contains(expected);
  }

  @Test
  void aNodeUsedAloneIsInNoGroupAndAGroupedOneIsNotUsedAlone() {
    PodSpec alone = pod("p", asking("main", 100));
    PinnedMemory memory = admit(UNUSED, alone, TopologyHint.preferred(NumaMask.of(2)));
    memory = admit(memory, pod("q", asking("main", 1200)));

    assertThat(memory.of("q", "main")).containsExactly(block(1200, "memory", 0, 1));
    PodSpec third = pod("r", asking("main", 100));
    assertThat(memory.hints(third, third.containers().getFirst()).get("memory"))
        .contains(
            List.of(
                TopologyHint.preferred(NumaMask.of(2)), TopologyHint.possible(NumaMask.of(0, 1))));
  }

  @ParameterizedTest(name = "{4}")
  @CsvSource(
      delimiter = '|',
      value = {
        "100  | -   | false | [memory of node 0]     | the smallest group with the lowest nodes",
        "900  | -   | true  | [memory of node 2]     | the only node that has so much",
        "100  | 1   | true  | [memory of node 1]     | where the affinity says",
        "750  | 0   | false | [memory of nodes 0, 1] | more nodes when the affinity's are too small"
      })
  void choosesNodes(long sizeMi, String node, boolean preferred, String expected, String why) {
    PodSpec pod = pod("p", asking("main", sizeMi));

    PinnedMemory memory = admit(UNUSED, pod, affinity(node, preferred));

    String nodes = memory.of("p", "main").getFirst().nodes().nodes().toString();
    assertThat("[memory of node" + (nodes.length() > 3 ? "s " : " ") + nodes.substring(1))
        .isEqualTo(expected);
  }

  private static TopologyHint affinity(String node, boolean preferred) {
    if (node.equals("-")) return preferred ? TopologyHint.ANY : TopologyHint.NONE;
    NumaMask mask = NumaMask.of(Integer.parseInt(node));
    return preferred ? TopologyHint.preferred(mask) : TopologyHint.possible(mask);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "3000 | - | false | [memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available",
        "3000 | 0 | false | [memorymanager] failed to find NUMA nodes to extend the current topology hint",
        "750  | 0 | true  | [memorymanager] failed to find the extended preferred hint"
      })
  void refusesInTheKubeletsWords(long sizeMi, String node, boolean preferred, String text) {
    assertThat(refusal(UNUSED, pod("p", asking("main", sizeMi)), affinity(node, preferred)))
        .isEqualTo(text);
  }

  @Test
  void refusesAGroupThatWouldCrossAnother() {
    PinnedMemory memory =
        admit(UNUSED, pod("p", asking("main", 100)), TopologyHint.preferred(NumaMask.of(0)));

    assertThat(
            refusal(
                memory, pod("q", asking("main", 100)), TopologyHint.possible(NumaMask.of(0, 1))))
        .isEqualTo("[memorymanager] preferred hint violates NUMA node allocation");
  }

  @Test
  void refusesADefaultThatIsNotPreferredWhenTheAffinityIs() {
    PinnedMemory memory = UNUSED;
    for (int node = 0; node < 3; node++)
      memory =
          admit(
              memory,
              pod("p" + node, asking("main", 600)),
              TopologyHint.preferred(NumaMask.of(node)));
    memory = memory.release("p0").release("p1");

    assertThat(refusal(memory, pod("q", asking("main", 850)), TopologyHint.ANY))
        .as("850 MiB would fit on node 2, were it not used")
        .isEqualTo("[memorymanager] failed to find the default preferred hint");
  }

  @Test
  void aTypeThatTheMachineDoesNotHaveIsRefusedAndNoCrash() {
    PodSpec pod =
        pod("p", container("main", Map.of("cpu", 1L, "memory", MI, "hugepages-1Gi", 1L << 30)));

    assertThat(UNUSED.hints(pod, pod.containers().getFirst())).isEmpty();
    assertThat(refusal(UNUSED, pod, TopologyHint.NONE))
        .startsWith("[memorymanager] failed to get the default NUMA affinity");
  }

  @Test
  void memoryOfInitContainersIsUsedAgain() {
    PodSpec pod = pod("p", asking("init", 500), asking("side", 100), asking("main", 300));

    PinnedMemory memory = admit(UNUSED, pod, TopologyHint.preferred(NumaMask.of(0)));

    assertThat(memory.of("p", "side")).containsExactly(block(100, "memory", 0));
    assertThat(memory.of("p", "main")).containsExactly(block(300, "memory", 0));
    assertThat(memory.of("p", "init"))
        .as("what the others did not take over")
        .containsExactly(block(100, "memory", 0));
    PinnedMemory started = memory.started(pod, "main");
    assertThat(started.of("p", "init")).isEmpty();
    assertThat(started.of("p", "side")).hasSize(1);
    NodeMemory nodeZero = Objects.requireNonNull(started.state().machine().get(0));
    assertThat(nodeZero.table("memory").free()).isEqualTo(300 * MI);
    assertThat(memory.release("p").state()).isEqualTo(UNUSED.state());
  }

  @Test
  void aContainerAdmittedAgainKeepsItsBlocksAndHintsThem() {
    PodSpec pod = pod("p", asking("main", 100, 50));
    PinnedMemory memory = admit(UNUSED, pod, TopologyHint.preferred(NumaMask.of(1)));

    assertThat(admit(memory, pod)).isSameAs(memory);
    assertThat(memory.hints(pod, pod.containers().getFirst()))
        .hasSize(2)
        .allSatisfy((type, hints) ->
            assertThat(hints).contains(List.of(TopologyHint.preferred(NumaMask.of(1)))));
    PodSpec larger = pod("p", asking("main", 200, 50));
    assertThat(memory.hints(larger, larger.containers().getFirst())).isEmpty();
  }

  @Test
  void thePolicyNoneBindsNothing() {
    PinnedMemory none = PinnedMemory.start(MemorySettings.NONE, MACHINE);
    PodSpec pod = pod("p", asking("main", 100));

    assertThat(admit(none, pod)).isSameAs(none);
    assertThat(none.podHints(pod)).isEmpty();
    assertThat(none.allocatable()).isEmpty();
  }

  @Test
  void retainsWhatKnownPodsHave() {
    PodSpec first = pod("p", asking("main", 100), asking("more", 100));
    PinnedMemory memory = admit(admit(UNUSED, first), pod("q", asking("main", 100)));

    PinnedMemory next = memory.retain(List.of(pod("p", asking("main", 100))));

    assertThat(next.of("p", "main")).hasSize(1);
    assertThat(next.of("p", "more")).isEmpty();
    assertThat(next.of("q", "main")).isEmpty();
    assertThat(next.retain(List.of(first))).isSameAs(next);
  }

  @Test
  void refusesToReserveWhatIsNotThere() {
    assertThatThrownBy(() -> PinnedMemory.start(MemorySettings.reservingOn(3), MACHINE))
        .hasMessage(
            "the reserved memory configuration references a NUMA node 3 that does not exist on this"
                + " machine");
    var tooMuch = new TreeMap<>(Map.of(0, new TreeMap<>(Map.of("memory", 900 * MI))));
    assertThatThrownBy(() ->
            PinnedMemory.start(
                new MemorySettings(MemoryPolicy.STATIC, new TreeMap<>(tooMuch)), MACHINE))
        .hasMessageContaining("cannot reserve");
    assertThatThrownBy(() -> new MemorySettings(MemoryPolicy.STATIC, new TreeMap<>()))
        .hasMessage("[memorymanager] you should specify the system reserved memory");
  }

  @ParameterizedTest
  @CsvSource({"2097152,2Mi", "1073741824,1Gi", "65536,64Ki", "1048576,1Mi"})
  void hugePagesAreNamedByTheirSize(long bytes, String name) {
    assertThat(HugePages.name(bytes)).isEqualTo("hugepages-" + name);
  }
}
