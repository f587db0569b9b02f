package dev.patchbay.kubelet.cpu;

import static dev.patchbay.kubelet.cpu.Guaranteed.container;
import static dev.patchbay.kubelet.cpu.Guaranteed.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.kubelet.pods.NativeResources;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.NumaMask;
import dev.patchbay.kubelet.topology.TopologyHint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// On a machine of two NUMA nodes with four CPUs each, of which CPU 0 is reserved.
class ExclusiveCpusTest {
  private static final NumaMachine MACHINE = NumaMachine.regular(2, 4, 1 << 30);
  private static final ExclusiveCpus UNUSED =
      ExclusiveCpus.start(CpuSettings.reserving(CpuSet.of(0)), MACHINE);

  private static ExclusiveCpus admit(ExclusiveCpus cpus, PodSpec pod) {
    ExclusiveCpus next = cpus;
    for (ContainerSpec container : pod.allContainers())
      next = granted(next, pod, container.name(), TopologyHint.NONE);
    return next;
  }

  private static ExclusiveCpus granted(
      ExclusiveCpus cpus, PodSpec pod, String name, TopologyHint affinity) {
    return switch (cpus.reserve(pod, named(pod, name), affinity)) {
      case CpuDecision.Granted granted -> granted.next();
      case CpuDecision.Refused refused -> throw new AssertionError(refused.text());
    };
  }

  private static ContainerSpec named(PodSpec pod, String name) {
    return pod.allContainers().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest(name = "{2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "2000 | 2 | a whole number of CPUs is owned",
        "1500 | 0 | a part of a CPU is shared",
        "500  | 0 | less than one CPU is shared"
      })
  void givesWholeCpusAlone(long milliCpus, int owned, String why) {
    PodSpec pod = pod("p", container("main", milliCpus));

    ExclusiveCpus cpus = admit(UNUSED, pod);

    assertThat(cpus.of("p", "main").size()).isEqualTo(owned);
    assertThat(cpus.state().shared().size()).isEqualTo(8 - owned);
    assertThat(UNUSED.hints(pod, named(pod, "main")).isEmpty()).isEqualTo(owned == 0);
  }

  @Test
  void aPodThatIsNotGuaranteedShares() {
    ContainerSpec burstable =
        container("main", 2000)
            .withResources(
                new NativeResources(
                    new TreeMap<>(Map.of("cpu", 2000L)), new TreeMap<>(Map.of("cpu", 3000L))));
    PodSpec pod = pod("p", burstable);

    assertThat(admit(UNUSED, pod)).isSameAs(UNUSED);
    assertThat(UNUSED.podHints(pod)).isEmpty();
  }

  @Test
  void thePolicyNoneGivesNothing() {
    ExclusiveCpus none = ExclusiveCpus.start(CpuSettings.NONE, MACHINE);
    PodSpec pod = pod("p", container("main", 2000));

    assertThat(admit(none, pod)).isSameAs(none);
    assertThat(none.hints(pod, named(pod, "main"))).isEmpty();
    assertThat(none.allocatable().isEmpty()).isTrue();
  }

  @Test
  void takesCpusOfTheAffinityFirst() {
    PodSpec pod = pod("p", container("main", 3000));
    TopologyHint onNodeOne = TopologyHint.preferred(NumaMask.of(1));

    assertThat(granted(UNUSED, pod, "main", onNodeOne).of("p", "main")).hasToString("4-6");
  }

  @Test
  void takesTheRestElsewhereWhenTheAffinityIsTooSmall() {
    PodSpec pod = pod("p", container("main", 5000));
    TopologyHint onNodeOne = TopologyHint.possible(NumaMask.of(1));

    assertThat(granted(UNUSED, pod, "main", onNodeOne).of("p", "main")).hasToString("1,4-7");
  }

  @Test
  void whereAllCpusButTheReservedOnesAreOwnedANewKubeletGoesOn() throws IOException {
    ExclusiveCpus strict =
        ExclusiveCpus.start(
            CpuSettings.reserving(CpuSet.of(0)).with(CpuOptions.of(CpuOption.STRICT_RESERVATION)),
            MACHINE);
    ExclusiveCpus full = admit(strict, pod("p", container("main", 7000)));

    assertThat(full.state().shared()).isEqualTo(CpuSet.EMPTY);
    assertThat(strict.resume(full.state()).of("p", "main")).hasToString("1-7");
    assertThatThrownBy(() -> UNUSED.resume(full.state()))
        .as("without that option the reserved ones are shared")
        .hasMessage("default cpuset cannot be empty");
  }

  @Test
  void refusesMoreThanIsFree() {
    PodSpec pod = pod("p", container("main", 8000));

    assertThat(UNUSED.reserve(pod, named(pod, "main"), TopologyHint.NONE))
        .isEqualTo(
            new CpuDecision.Refused(
                CpuDecision.Reason.TOO_FEW,
                "not enough cpus available to satisfy request: requested=8, available=7"));
  }

  @Test
  void usesCpusOfInitContainersAgainAndNotThoseOfSidecars() {
    PodSpec pod =
        pod(
            "p",
            container("init", 3000),
            container("side", 1000),
            container("main", 2000),
            container("more", 1000));

    ExclusiveCpus cpus = admit(UNUSED, pod);

    CpuSet side = cpus.of("p", "side");
    CpuSet main = cpus.of("p", "main");
    CpuSet more = cpus.of("p", "more");
    assertThat(cpus.of("p", "init").containsAll(side)).isTrue();
    assertThat(cpus.of("p", "init").containsAll(main)).isTrue();
    assertThat(side.union(main).union(more).size()).as("no CPU twice").isEqualTo(4);
    assertThat(cpus.state().shared().size()).isEqualTo(4);
    assertThat(cpus.release("p")).usingRecursiveComparison().isEqualTo(UNUSED);
  }

  @Test
  void oneContainerReleasedLeavesWhatOthersOfThePodUse() {
    PodSpec pod = pod("p", container("init", 3000), container("main", 2000));
    ExclusiveCpus cpus = admit(UNUSED, pod);

    ExclusiveCpus next = cpus.release("p", "init");

    assertThat(next.of("p", "main")).isEqualTo(cpus.of("p", "main"));
    assertThat(next.state().shared().size()).isEqualTo(6);
  }

  @Test
  void aContainerAdmittedAgainKeepsItsCpusAndHintsThem() {
    PodSpec pod = pod("p", container("main", 2000));
    ExclusiveCpus cpus = granted(UNUSED, pod, "main", TopologyHint.preferred(NumaMask.of(1)));

    assertThat(admit(cpus, pod)).isSameAs(cpus);
    assertThat(cpus.hints(pod, named(pod, "main")).get("cpu"))
        .contains(
            List.of(
                TopologyHint.preferred(NumaMask.of(1)), TopologyHint.possible(NumaMask.of(0, 1))));
  }

  @Test
  void aContainerThatAsksForMoreThanItHasCannotBeHinted() {
    ExclusiveCpus cpus = admit(UNUSED, pod("p", container("main", 2000)));
    PodSpec larger = pod("p", container("main", 3000));

    assertThat(cpus.hints(larger, named(larger, "main")))
        .containsEntry("cpu", Optional.of(List.of()));
    assertThat(cpus.podHints(larger)).containsEntry("cpu", Optional.of(List.of()));
  }

  @Test
  void hintsArePreferredByWhatAnUnusedMachineCouldDo() {
    PodSpec first = pod("p", container("main", 3000));
    ExclusiveCpus cpus = granted(UNUSED, first, "main", TopologyHint.preferred(NumaMask.of(1)));
    PodSpec second = pod("q", container("main", 4000));

    assertThat(cpus.hints(second, named(second, "main")).get("cpu"))
        .as("four CPUs would fit on one node, but no node has four free")
        .contains(List.of(TopologyHint.possible(NumaMask.of(0, 1))));
  }

  @Test
  void thePodIsHintedAsAWhole() {
    PodSpec pod =
        pod("p", container("side", 1000), container("init", 2000), container("main", 3000));

    assertThat(UNUSED.podHints(pod).get("cpu"))
        .as("the sidecar and the app container, four CPUs, run together")
        .contains(
            List.of(
                TopologyHint.preferred(NumaMask.of(1)), TopologyHint.possible(NumaMask.of(0, 1))));
  }

  @Test
  void retainsWhatKnownPodsOwn() {
    PodSpec first = pod("p", container("main", 2000), container("more", 1000));
    PodSpec second = pod("q", container("main", 2000));
    ExclusiveCpus cpus = admit(admit(UNUSED, first), second);

    ExclusiveCpus next = cpus.retain(List.of(pod("p", container("main", 2000))));

    assertThat(next.of("p", "main")).isEqualTo(cpus.of("p", "main"));
    assertThat(next.of("p", "more").isEmpty()).isTrue();
    assertThat(next.of("q", "main").isEmpty()).isTrue();
    assertThat(next.retain(List.of(first))).isSameAs(next);
  }

  @Test
  void reservesTheCpusThatWouldBeTakenFirst() {
    ExclusiveCpus cpus = ExclusiveCpus.start(CpuSettings.reserving(2), MACHINE);

    assertThat(cpus.allocatable()).hasToString("2-7");
  }

  @Test
  void refusesToReserveWhatIsNotThere() {
    assertThatThrownBy(() -> ExclusiveCpus.start(CpuSettings.reserving(9), MACHINE))
        .hasMessage(
            "[cpumanager] unable to reserve the required amount of CPUs (size of  did not equal 9)");
    assertThatThrownBy(() -> ExclusiveCpus.start(CpuSettings.reserving(CpuSet.of(8)), MACHINE))
        .hasMessageContaining("unknown CPU ID: 8");
    assertThatThrownBy(() -> CpuSettings.reserving(0)).hasMessageContaining("greater than zero");
  }

  /// Four nodes of two CPUs, two on each socket; those of node 0 are reserved.
  private static ExclusiveCpus onTwoSockets(CpuOption... options) {
    List<NumaMachine.Node> nodes = new ArrayList<>();
    for (int node = 0; node < 4; node++) {
      List<NumaMachine.Core> cores = new ArrayList<>();
      for (int cpu = 2 * node; cpu < 2 * node + 2; cpu++)
        cores.add(new NumaMachine.Core(cpu, node / 2, List.of(cpu)));
      nodes.add(new NumaMachine.Node(node, 1 << 30, new TreeMap<>(), List.of(), cores));
    }
    return ExclusiveCpus.start(
        CpuSettings.reserving(CpuSet.of(0, 1)).with(CpuOptions.of(options)),
        new NumaMachine(nodes));
  }

  private static List<NumaMask> preferred(ExclusiveCpus cpus, long milliCpus) {
    PodSpec pod = pod("p", container("main", milliCpus));
    return cpus.podHints(pod).getOrDefault("cpu", Optional.empty()).orElseThrow().stream()
        .filter(TopologyHint::preferred)
        .map(hint -> hint.mask().orElseThrow())
        .toList();
  }

  @Test
  void nodesOfOneSocketAreAsGoodAsOneNode() {
    assertThat(preferred(onTwoSockets(), 2000))
        .containsExactly(NumaMask.of(1), NumaMask.of(2), NumaMask.of(3));
    assertThat(preferred(onTwoSockets(CpuOption.SOCKETS), 2000))
        .containsExactly(
            NumaMask.of(1), NumaMask.of(2), NumaMask.of(3), NumaMask.of(0, 1), NumaMask.of(2, 3));
  }

  @Test
  void cpusComeFromTheSocketOfTheNodeBeforeOtherSockets() {
    PodSpec pod = pod("p", container("main", 4000));
    var onNode2 = new TopologyHint(Optional.of(NumaMask.of(2)), true);
    assertThat(granted(onTwoSockets(), pod, "main", onNode2).of("p", "main")).hasToString("2-5");
    assertThat(granted(onTwoSockets(CpuOption.SOCKETS), pod, "main", onNode2).of("p", "main"))
        .hasToString("4-7");
  }

  /// Nodes with so many cores of so many threads, the first four on one socket, others on another.
  private static NumaMachine nodesOf(int threads, int... cores) {
    List<NumaMachine.Node> nodes = new ArrayList<>();
    int cpu = 0;
    for (int node = 0; node < cores.length; node++) {
      List<NumaMachine.Core> all = new ArrayList<>();
      for (int core = 0; core < cores[node]; core++, cpu += threads)
        all.add(
            new NumaMachine.Core(
                core, Math.min(node / 4, 1), IntStream.range(cpu, cpu + threads).boxed().toList()));
      nodes.add(new NumaMachine.Node(node, 1 << 30, new TreeMap<>(), List.of(), all));
    }
    return new NumaMachine(nodes);
  }

  /// Four nodes would have what is asked for; the kubelet remembers the last node instead of the
  /// fourth, which has less.
  @Test
  void aContainerIsRefusedWhereTheKubeletForgetsWhichNodesAreBest() {
    var cpus =
        ExclusiveCpus.start(
            CpuSettings.reserving(CpuSet.of(33)).with(CpuOptions.of(CpuOption.EVEN_NODES)),
            nodesOf(1, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3));
    PodSpec pod = pod("p", container("main", 16_000));
    assertThat(cpus.reserve(pod, named(pod, "main"), TopologyHint.NONE))
        .isEqualTo(
            new CpuDecision.Refused(
                CpuDecision.Reason.TOO_FEW,
                "accounting error, not enough CPUs allocated, remaining: 4"));
  }

  /// Of two nodes with five CPUs left each, after an equal part of two, six more CPUs cannot be had
  /// as whole cores, though there are six: the kubelet tries for ever.
  @Test
  void halvesOfCoresAreNotCountedAsWholeOnes() {
    var cpus =
        ExclusiveCpus.start(
            CpuSettings.reserving(CpuSet.of(0, 6))
                .with(CpuOptions.of(CpuOption.EVEN_NODES, CpuOption.WHOLE_CORES)),
            nodesOf(2, 3, 3, 3, 3));
    PodSpec onNode2 = pod("a", container("main", 2000));
    PodSpec onNode3 = pod("b", container("main", 2000));
    PodSpec everywhere = pod("c", container("main", 14_000));
    cpus = granted(cpus, onNode2, "main", new TopologyHint(Optional.of(NumaMask.of(2)), true));
    cpus = granted(cpus, onNode3, "main", new TopologyHint(Optional.of(NumaMask.of(3)), true));
    cpus = granted(cpus, everywhere, "main", TopologyHint.NONE);
    assertThat(cpus.of("c", "main")).hasToString("2-5,8-11,14-17,20-21");
  }
}
