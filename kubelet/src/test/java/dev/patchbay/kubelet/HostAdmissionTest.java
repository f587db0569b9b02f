package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.ScriptedPlugin.device;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.kubelet.cpu.CpuOption;
import dev.patchbay.kubelet.cpu.CpuOptions;
import dev.patchbay.kubelet.cpu.CpuSet;
import dev.patchbay.kubelet.cpu.CpuSettings;
import dev.patchbay.kubelet.memory.MemoryBlock;
import dev.patchbay.kubelet.memory.MemorySettings;
import dev.patchbay.kubelet.pods.NativeResources;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.NumaMask;
import dev.patchbay.kubelet.topology.TopologySettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Pods that own CPUs and have memory bound to nodes, beside devices: on a machine of two NUMA
/// nodes with four CPUs and 1 GiB each, of which CPU 0 and 100 MiB on node 0 are reserved.
class HostAdmissionTest {
  private static final long MI = 1L << 20;
  private static final NumaMachine MACHINE = NumaMachine.regular(2, 4, 1024 * MI);
  private static final CpuSettings CPUS = CpuSettings.reserving(CpuSet.of(0));

  private KubeletSide kubelet;
  private Path state;

  @BeforeEach
  void start() {
    kubelet = KubeletSide.started();
    state = kubelet.directory().resolveSibling("state");
  }

  @AfterEach
  void stop() throws IOException {
    kubelet.close();
  }

  private UnaryOperator<KubeletSettings> settings(String policy, String scope) {
    return usual ->
        usual
            .withTopology(TopologySettings.of(policy, scope), MACHINE)
            .withHost(new HostSettings(CPUS, MemorySettings.reservingOn(0), Optional.of(state)));
  }

  private void startWith(String policy, String scope) {
    kubelet.restartWith(settings(policy, scope));
  }

  /// Devices whose last letter is their NUMA node.
  private ScriptedPlugin gpus(String... ids) {
    ScriptedPlugin plugin = kubelet.registered(GPU, "starting");
    var devices = new dev.patchbay.proto.deviceplugin.v1beta1.Device[ids.length];
    for (int i = 0; i < ids.length; i++)
      devices[i] = device(ids[i], ids[i].charAt(ids[i].length() - 1) - '0');
    plugin.list(devices);
    kubelet.awaitAllocatable(GPU, ids.length);
    return plugin;
  }

  private static ContainerSpec container(String name, long gpus, long cpus, long memoryMi) {
    var asked = new TreeMap<>(Map.of("cpu", 1000 * cpus, "memory", memoryMi * MI));
    return Pods.container(name, gpus).withResources(new NativeResources(asked, asked));
  }

  private static PodSpec pod(String uid, long gpus, long cpus, long memoryMi) {
    return Pods.pod(uid, List.of(), container("main", gpus, cpus, memoryMi));
  }

  @Test
  void aPodThatWouldHaveHalfACoreIsRefused() {
    var cores =
        IntStream.range(0, 4)
            .mapToObj(core -> new NumaMachine.Core(core, 0, List.of(core, core + 4)))
            .toList();
    var machine =
        new NumaMachine(
            List.of(new NumaMachine.Node(0, 1024 * MI, new TreeMap<>(), List.of(), cores)));
    CpuSettings whole = CPUS.with(CpuOptions.of(CpuOption.WHOLE_CORES));
    kubelet.restartWith(usual ->
        usual
            .withTopology(TopologySettings.DEFAULTS, machine)
            .withHost(new HostSettings(whole, MemorySettings.NONE, Optional.of(state))));

    assertThat(kubelet.refusal(pod("odd", 0, 3, 100)))
        .isEqualTo(
            "SMTAlignmentError: SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2");
    kubelet.admit(pod("even", 0, 2, 100));
    assertThat(cpus("even")).as("not of the core with CPU 0, which is reserved").isEqualTo("1,5");
    assertThat(kubelet.refusal(pod("much", 0, 6, 100)))
        .isEqualTo(
            "SMTAlignmentError: SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 4, requested CPUs = 6, CPUs per core = 2");
  }

  @Test
  void anOptionOfTheCpuPolicyNeedsItsGateAndATopologyPolicyThatGoesWithIt() {
    CpuSettings sockets = CPUS.with(CpuOptions.of(CpuOption.SOCKETS));
    KubeletSettings settings =
        settings("single-numa-node", "container")
            .apply(KubeletSettings.of(kubelet.directory()))
            .withHost(new HostSettings(sockets, MemorySettings.NONE, Optional.empty()));
    assertThatThrownBy(() -> new Kubelet(settings, InstantSource.system()).close())
        .hasMessage(
            "CPU Manager Policy Alpha-level Options not enabled, but option \"align-by-socket\""
                + " provided");
    KubeletSettings allowed =
        settings.withFeatureGates(new TreeMap<>(Map.of("CPUManagerPolicyAlphaOptions", true)));
    assertThatThrownBy(() -> new Kubelet(allowed, InstantSource.system()).close())
        .hasMessage(
            "Topolgy manager single-numa-node policy is incompatible with CPUManager"
                + " align-by-socket policy option");
  }

  @Test
  void whoOwnsCpusIsTold() {
    List<String> told = new ArrayList<>();
    kubelet.restartWith(
        settings("best-effort", "pod"),
        new KubeletEvents() {
          @Override
          public void cpusOwned(PodSpec pod, String container, CpuSet cpus, boolean anew) {
            told.add("%s %s %s %s".formatted(pod.uid(), container, cpus, anew ? "new" : "kept"));
          }
        });

    kubelet.admit(pod("p", 0, 2, 100));
    kubelet.admit(pod("p", 0, 2, 100));
    kubelet.refusal(pod("q", 0, 6, 100));

    assertThat(told).containsExactly("p main 1-2 new", "p main 1-2 kept");
  }

  private String cpus(String pod) {
    return kubelet.manager().host().cpus().of(pod, "main").toString();
  }

  private List<MemoryBlock> memory(String pod, String container) {
    return kubelet.manager().host().memory().of(pod, container);
  }

  private static MemoryBlock memory(long sizeMi, int... nodes) {
    return new MemoryBlock(NumaMask.of(nodes), "memory", sizeMi * MI);
  }

  @Test
  void devicesCpusAndMemoryLieTogether() {
    startWith("best-effort", "container");
    gpus("a0", "b1");

    kubelet.admit(pod("p", 1, 4, 200));

    assertThat(cpus("p")).as("node 0 has three free").isEqualTo("4-7");
    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[b1]");
    assertThat(memory("p", "main")).containsExactly(memory(200, 1));
  }

  @Test
  void memoryDecidesWhereTheOthersLie() {
    startWith("single-numa-node", "container");
    gpus("a0", "b1");

    kubelet.admit(pod("p", 1, 1, 1000));

    assertThat(cpus("p")).isEqualTo("4");
    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[b1]");
  }

  @Test
  void aRefusedPodTakesNothing() {
    startWith("single-numa-node", "container");
    gpus("a0", "b0");
    HostState before = kubelet.manager().host();

    assertThat(kubelet.refusal(pod("p", 1, 4, 100)))
        .isEqualTo("TopologyAffinityError: Resources cannot be allocated with Topology locality");

    assertThat(kubelet.manager().host()).isEqualTo(before);
    assertThat(kubelet.manager().held()).isEmpty();
  }

  @Test
  void tooFewCpusAreRefusedInTheKubeletsWordsAndFreeTheDevices() {
    startWith("none", "container");
    gpus("a0");

    assertThat(kubelet.refusal(pod("p", 1, 8, 100)))
        .isEqualTo(
            "UnexpectedAdmissionError: Allocate failed due to not enough cpus available to satisfy"
                + " request: requested=8, available=7, which is unexpected");
    assertThat(kubelet.refusal(pod("q", 1, 1, 3000)))
        .isEqualTo(
            "UnexpectedAdmissionError: Allocate failed due to [memorymanager] failed to get the"
                + " default NUMA affinity, no NUMA nodes with enough memory is available, which is"
                + " unexpected");
    kubelet.admit(pod("r", 1, 7, 100));
    assertThat(cpus("r")).isEqualTo("1-7");
  }

  @Test
  void inThePodScopeAllContainersShareTheirPlace() {
    startWith("best-effort", "pod");

    kubelet.admit(
        Pods.pod("p", List.of(), container("main", 0, 3, 100), container("side", 0, 1, 100)));

    assertThat(kubelet.manager().host().cpus().of("p", "side").union(CpuSet.parse(cpus("p"))))
        .isEqualTo(CpuSet.parse("4-7"));
    assertThat(memory("p", "side")).containsExactly(memory(100, 1));
  }

  @Test
  void memoryOfInitContainersIsFreeOnceAnAppContainerStarts() throws IOException {
    startWith("none", "container");
    PodSpec pod =
        Pods.pod("p", List.of(container("init", 0, 2, 500)), container("main", 0, 1, 200));
    kubelet.admit(pod);
    assertThat(memory("p", "init")).containsExactly(memory(300, 0));

    kubelet.manager().runOptions(pod, "init");
    assertThat(memory("p", "init")).containsExactly(memory(300, 0));
    kubelet.manager().runOptions(pod, "main");

    assertThat(memory("p", "init")).isEmpty();
    assertThat(memory("p", "main")).containsExactly(memory(200, 0));
  }

  /// Each init container frees those before it, sidecars keep theirs, and others can have the rest,
  /// also after a restart.
  @Test
  void whatEndedInitContainersLeftIsForOtherPods() throws IOException {
    startWith("none", "container");
    ContainerSpec sidecar =
        Pods.sidecar("side", 0).withResources(container("side", 0, 1, 50).resources());
    PodSpec pod =
        Pods.pod(
            "p",
            List.of(container("first", 0, 1, 300), sidecar, container("second", 0, 1, 800)),
            container("main", 0, 1, 100));
    kubelet.admit(pod);
    kubelet.admit(pod("q", 0, 1, 1000));
    assertThat(memory("p", "second")).as("what main did not take over").hasSize(1);
    assertThat(kubelet.refusal(pod("r", 0, 1, 600))).contains("no NUMA nodes with enough memory");

    for (String each : List.of("first", "side", "second"))
      assertThat(kubelet.manager().runOptions(pod, each)).isEmpty();
    assertThat(memory("p", "first")).as("it ended before the second began").isEmpty();
    assertThat(kubelet.refusal(pod("r", 0, 1, 600))).contains("no NUMA nodes with enough memory");
    kubelet.manager().runOptions(pod, "main");

    assertThat(memory("p", "second")).isEmpty();
    assertThat(memory("p", "side")).containsExactly(memory(50, 0));
    assertThat(memory("p", "main")).containsExactly(memory(100, 0));
    kubelet.restarted(settings("none", "container"));
    assertThat(memory("p", "second")).as("in the file too").isEmpty();
    kubelet.admit(pod("r", 0, 1, 924 - 50 - 100));
    assertThat(memory("r", "main")).containsExactly(memory(924 - 50 - 100, 0));
  }

  @Test
  void whatContainersHaveOutlivesTheKubelet() throws IOException {
    startWith("best-effort", "container");
    PodSpec pod = pod("p", 0, 4, 200);
    kubelet.admit(pod);
    kubelet.admit(pod("gone", 0, 1, 100));
    HostState before = kubelet.manager().host();
    assertThat(state.resolve("cpu_manager_state"))
        .content()
        .contains("\"defaultCpuSet\":\"0,2-3\"", "\"p\":{\"main\":\"4-7\"}");

    Kubelet next = new Kubelet(settings("best-effort", "container").apply(usual()), kubelet.clock);
    kubelet.manager().close();
    next.start(List.of());

    assertThat(next.host().cpus().state()).isEqualTo(before.cpus().state());
    assertThat(next.host().memory().state()).isEqualTo(before.memory().state());
    next.know(pod);
    next.collectGarbage();
    assertThat(next.host().cpus().of("gone", "main").size())
        .as("not all pods are known yet")
        .isEqualTo(1);
    next.sourcesReady(true);
    next.collectGarbage();
    assertThat(next.host().cpus().of("gone", "main").isEmpty()).isTrue();
    assertThat(next.host().memory().of("gone", "main")).isEmpty();
    assertThat(next.host().cpus().of("p", "main")).hasToString("4-7");
    assertThat(state.resolve("cpu_manager_state")).content().doesNotContain("gone");
    next.close();
  }

  private KubeletSettings usual() {
    return kubelet.manager().settings();
  }

  @Test
  void filesOfAnotherPolicyAreRefusedAtTheStart() throws IOException {
    startWith("none", "container");
    var other =
        new HostSettings(CpuSettings.NONE, MemorySettings.reservingOn(0), Optional.of(state));
    try (var next = new Kubelet(usual().withHost(other), kubelet.clock)) {
      assertThatThrownBy(() -> next.start(List.of()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(
              "configured policy \"none\" differs from state checkpoint policy \"static\", please"
                  + " drain this node and delete the CPU manager checkpoint file");
    }
  }

  @Test
  void withoutADirectoryNothingIsWritten() {
    kubelet.restartWith(usual ->
        usual
            .withTopology(TopologySettings.DEFAULTS, MACHINE)
            .withHost(new HostSettings(CPUS, MemorySettings.reservingOn(0), Optional.empty())));

    kubelet.admit(pod("p", 0, 1, 100));

    assertThat(cpus("p")).isEqualTo("1");
    assertThat(state).doesNotExist();
  }

  @Test
  void podsAdmittedSideBySideNeverShareACpu() throws InterruptedException, ExecutionException {
    startWith("none", "container");
    List<Callable<Admission>> admissions =
        IntStream.range(0, 20)
            .<Callable<Admission>>mapToObj(
                i -> () -> kubelet.manager().admit(pod("p" + i, 0, 1, 10)))
            .toList();

    List<Admission> decided = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Admission> each : threads.invokeAll(admissions)) decided.add(each.get());
    }

    assertThat(decided.stream().filter(Admission.Admitted.class::isInstance)).hasSize(7);
    HostState host = kubelet.manager().host();
    CpuSet owned = CpuSet.EMPTY;
    for (int i = 0; i < 20; i++) owned = owned.union(host.cpus().of("p" + i, "main"));
    assertThat(owned).isEqualTo(CpuSet.parse("1-7"));
    assertThat(Files.exists(state.resolve("memory_manager_state"))).isTrue();
  }
}
