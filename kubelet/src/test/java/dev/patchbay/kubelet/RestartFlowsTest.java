package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.container;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.Pods.sidecar;
import static dev.patchbay.kubelet.ScriptedPlugin.answer;
import static dev.patchbay.kubelet.ScriptedPlugin.device;
import static dev.patchbay.kubelet.ScriptedPlugin.edits;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.kubelet.cpu.CpuSet;
import dev.patchbay.kubelet.cpu.CpuSettings;
import dev.patchbay.kubelet.memory.MemorySettings;
import dev.patchbay.kubelet.pods.NativeResources;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.TopologySettings;
import dev.patchbay.model.ContainerEdits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// Pods that were admitted before the kubelet, or the whole node, started again: what becomes of
/// them follows from whether all pods are known yet, whether their containers run, and what their
/// plugin has said since.
class RestartFlowsTest {
  private static final NumaMachine MACHINE = NumaMachine.regular(2, 4, 1L << 30);

  @AutoClose private final KubeletSide kubelet = KubeletSide.started();
  private ScriptedPlugin plugin = new ScriptedPlugin(Path.of("/nonexistent"), "none");

  /// What the plugin has done since the kubelet is back.
  enum Plugin {
    REGISTERED,
    SLOWER,
    GONE,
    UNHEALTHY,
    WITHOUT_THE_DEVICE
  }

  private void become(Plugin state) {
    switch (state) {
      case REGISTERED -> plugin = registered("a", "b");
      case SLOWER -> {}
      case GONE -> {
        kubelet.clock.advance(Duration.ofMinutes(6));
        assertThat(kubelet.counts(GPU)).isEqualTo("0/0");
      }
      case UNHEALTHY -> {
        plugin = registered("a", "b");
        plugin.list(device("a", 0).toBuilder().setHealth("Unhealthy").build(), device("b", 1));
        kubelet.awaitAllocatable(GPU, 1);
      }
      case WITHOUT_THE_DEVICE -> plugin = registered("b");
    }
  }

  private ScriptedPlugin registered(String... ids) {
    ScriptedPlugin fresh = kubelet.plugin("gpu.sock");
    fresh.allocate = answer(edits(gpu -> gpu.putEnvs("GPU", "first")));
    var devices = new dev.patchbay.proto.deviceplugin.v1beta1.Device[ids.length];
    for (int i = 0; i < ids.length; i++) devices[i] = device(ids[i], ids[i].equals("a") ? 0 : 1);
    fresh.list(devices);
    assertThat(fresh.register(GPU)).isEmpty();
    kubelet.awaitAllocatable(GPU, ids.length);
    return fresh;
  }

  private static RuntimeContainer main(boolean runs) {
    return new RuntimeContainer("p", "main", "id", runs);
  }

  @ParameterizedTest
  @EnumSource
  void aContainerThatRunsKeepsItsDevicesWhateverThePluginSays(Plugin state) throws IOException {
    registered("a", "b");
    kubelet.admit(pod("p", 1));
    kubelet.restart(main(true));
    become(state);

    assertAdmittedUntouched();
    kubelet.manager().sourcesReady(true);
    if (state == Plugin.GONE)
      assertThatThrownBy(() -> kubelet.manager().runOptions(pod("p", 1), "main"))
          .as("when it starts again, and there is nobody who could say whether to prepare it")
          .hasMessage("endpoint not found in cache for a registered resource: " + GPU);
    else
      assertThat(kubelet.manager().runOptions(pod("p", 1), "main"))
          .as("when it starts again")
          .contains(ContainerEdits.ofEnv("GPU", "first"));
    assertThat(plugin.calls()).noneMatch(call -> call.startsWith("Allocate"));
  }

  /// As after a reboot of the node: the containers are there, or not even that.
  @ParameterizedTest
  @CsvSource({
    "REGISTERED,         ''",
    "SLOWER,             no healthy devices present; cannot allocate unhealthy devices",
    "GONE,               cannot allocate unregistered device",
    "UNHEALTHY,          previously allocated devices are no longer healthy; cannot allocate",
    "WITHOUT_THE_DEVICE, previously allocated devices are no longer healthy; cannot allocate"
  })
  void aContainerThatDoesNotRunNeedsItsPluginAndItsDevices(Plugin state, String why) {
    for (boolean isThere : new boolean[] {true, false}) {
      kubelet.restart().sourcesReady(true);
      registered("a", "b");
      kubelet.admit(pod("p", 1));
      if (isThere) kubelet.restart(main(false));
      else kubelet.restart();
      become(state);

      if (why.isEmpty()) assertAdmittedUntouched();
      else assertRefused(why);
      kubelet.manager().release("p");
    }
  }

  /// Once all pods are known a container that runs is as any other.
  @ParameterizedTest
  @CsvSource({
    "REGISTERED,         ''",
    "SLOWER,             no healthy devices present; cannot allocate unhealthy devices",
    "GONE,               cannot allocate unregistered device",
    "UNHEALTHY,          previously allocated devices are no longer healthy; cannot allocate",
    "WITHOUT_THE_DEVICE, previously allocated devices are no longer healthy; cannot allocate"
  })
  void onceAllPodsAreKnownThatItRunsDoesNotHelp(Plugin state, String why) {
    registered("a", "b");
    kubelet.admit(pod("p", 1));
    kubelet.restart(main(true)).know(pod("p", 1));
    kubelet.manager().sourcesReady(true);
    become(state);

    if (why.isEmpty()) assertAdmittedUntouched();
    else assertRefused(why);
  }

  @ParameterizedTest
  @CsvSource({"best-effort", "restricted", "single-numa-node"})
  void underATopologyManagerAContainerThatRunsKeepsItsDevicesToo(String policy) {
    for (Plugin state : Plugin.values()) {
      kubelet.restarted(topology(policy)).sourcesReady(true);
      registered("a", "b");
      kubelet.admit(pod("p", 1));
      kubelet.restarted(topology(policy), main(true));
      become(state);

      assertThat(kubelet.manager().admit(pod("p", 1)))
          .as("with the plugin %s", state)
          .isEqualTo(new Admission.Admitted());
      assertAdmittedUntouched();
      kubelet.manager().release("p");
    }
  }

  private static UnaryOperator<KubeletSettings> topology(String policy) {
    return usual -> usual.withTopology(TopologySettings.of(policy, "container"), MACHINE);
  }

  /// Its grace period ended before an earlier restart, so that the node does not even show it.
  @ParameterizedTest
  @EnumSource
  void aContainerThatRunsIsAdmittedThoughNobodyRemembersItsResource(UnknownResources unknown) {
    registered("a", "b");
    kubelet.admit(pod("p", 1));
    kubelet.restart();
    become(Plugin.GONE);
    kubelet.restarted(usual -> usual.withUnknownResources(unknown), main(true));

    assertThat(kubelet.counts(GPU)).isEqualTo("-");
    assertAdmittedUntouched();
  }

  @Test
  void aPodNeedsItsPluginForTheContainersThatDoNotRun() {
    registered("a", "b");
    PodSpec pod = pod("p", List.of(), container("main", 1), container("other", 1));
    kubelet.admit(pod);

    kubelet.restart(main(true));

    assertThat(kubelet.refusal(pod)).contains("no healthy devices present");
  }

  /// It has ended long ago, which is not running.
  @Test
  void aPodNeedsItsPluginForItsInitContainersToo() {
    registered("a", "b");
    PodSpec pod = pod("p", List.of(container("init", 1), sidecar("side", 1)), container("main", 1));
    kubelet.admit(pod);
    var before = kubelet.manager().held();
    RuntimeContainer[] runtime = {
      new RuntimeContainer("p", "init", "1", false),
      new RuntimeContainer("p", "side", "2", true),
      main(true)
    };

    kubelet.restart(runtime);
    ScriptedPlugin back = registered("a", "b");
    kubelet.admit(pod);
    assertThat(kubelet.manager().held()).isEqualTo(before);
    assertThat(back.calls()).noneMatch(call -> call.startsWith("Allocate"));

    kubelet.restart(runtime);
    assertThat(kubelet.refusal(pod)).contains("no healthy devices present");
  }

  @Test
  void initContainersAndSidecarsHaveTheSameAfterAReboot() {
    registered("a", "b");
    PodSpec pod = pod("p", List.of(container("init", 1), sidecar("side", 1)), container("main", 1));
    kubelet.admit(pod);
    var before = kubelet.manager().held();
    assertThat(kubelet.held("p", "side", GPU)).isEqualTo("[a]");
    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[b]");

    kubelet.restart();
    ScriptedPlugin back = registered("a", "b");
    kubelet.admit(pod);

    assertThat(kubelet.manager().held()).isEqualTo(before);
    assertThat(back.calls()).noneMatch(call -> call.startsWith("Allocate"));
  }

  /// A container of the pod that was never admitted takes over what the init container holds.
  @Test
  void aReusedDeviceIsReusedAfterARestartToo() {
    registered("a", "b");
    kubelet.admit(pod("p", List.of(container("init", 1))));

    kubelet.restart();
    ScriptedPlugin back = registered("a", "b");
    kubelet.admit(pod("p", List.of(container("init", 1)), container("main", 1)));

    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[a]");
    assertThat(back.calls()).containsOnlyOnce("Allocate [a]");
  }

  @Test
  void whatPodsHeldThatEndedMeanwhileIsTakenOnceAllAreKnown() {
    registered("a", "b");
    kubelet.admit(pod("ended", 1));
    kubelet.admit(pod("gone", 1));
    Kubelet restarted = kubelet.restart();
    registered("a", "b");
    restarted.know(pod("ended", 1));
    restarted.ended("ended", PodPhase.SUCCEEDED);

    assertThat(kubelet.refusal(pod("early", 1))).contains("Requested: 1, Available: 0");
    restarted.sourcesReady(true);
    kubelet.admit(pod("late", 2));

    assertThat(restarted.held()).containsOnlyKeys("late");
    assertThat(kubelet.restart().held()).containsOnlyKeys("late");
  }

  @ParameterizedTest
  @EnumSource
  void aContainerThatRunsKeepsItsCpusAndItsMemory(Plugin state) throws IOException {
    kubelet.restarted(this::host).sourcesReady(true);
    registered("a", "b");
    kubelet.admit(pinned());
    HostState before = kubelet.manager().host();
    List<String> files = stateFiles();
    kubelet.restarted(this::host, main(true));
    become(state);

    kubelet.admit(pinned());
    kubelet.manager().sourcesReady(true);
    kubelet.manager().collectGarbage();

    assertThat(kubelet.manager().host().cpus().state()).isEqualTo(before.cpus().state());
    assertThat(kubelet.manager().host().memory().state()).isEqualTo(before.memory().state());
    assertThat(stateFiles()).isEqualTo(files);
  }

  @Test
  void aRefusedPodLosesItsCpusAndItsMemory() throws IOException {
    kubelet.restarted(this::host).sourcesReady(true);
    HostState unused = kubelet.manager().host();
    registered("a", "b");
    kubelet.admit(pinned());
    kubelet.restarted(this::host);

    assertThat(kubelet.refusal(pinned())).contains("no healthy devices present");

    assertThat(kubelet.manager().host().cpus().state()).isEqualTo(unused.cpus().state());
    assertThat(kubelet.manager().host().memory().state()).isEqualTo(unused.memory().state());
    assertThat(stateFiles()).noneMatch(text -> text.contains("main"));
  }

  private KubeletSettings host(KubeletSettings usual) {
    return usual
        .withTopology(TopologySettings.of("best-effort", "container"), MACHINE)
        .withHost(
            new HostSettings(
                CpuSettings.reserving(CpuSet.of(0)),
                MemorySettings.reservingOn(0),
                Optional.of(stateDirectory())));
  }

  private Path stateDirectory() {
    return kubelet.directory().resolveSibling("state");
  }

  private List<String> stateFiles() throws IOException {
    return List.of(
        Files.readString(stateDirectory().resolve("cpu_manager_state")),
        Files.readString(stateDirectory().resolve("memory_manager_state")));
  }

  /// A Guaranteed pod with a device, two CPUs and memory.
  private static PodSpec pinned() {
    var asked = new TreeMap<>(Map.of("cpu", 2000L, "memory", 100L << 20));
    return pod(
        "p", List.of(), container("main", 1).withResources(new NativeResources(asked, asked)));
  }

  private void assertAdmittedUntouched() {
    kubelet.admit(pod("p", 1));
    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[a]");
    assertThat(plugin.calls()).noneMatch(call -> call.startsWith("Allocate"));
  }

  /// It is over for the pod: what it held is free.
  private void assertRefused(String why) {
    assertThat(kubelet.refusal(pod("p", 1)))
        .startsWith("UnexpectedAdmissionError: Allocate failed due to " + why)
        .endsWith(", which is unexpected");
    assertThat(kubelet.manager().held()).isEmpty();
    assertThat(kubelet.manager().pod("p").orElseThrow().phase()).isEqualTo(PodPhase.FAILED);
  }
}
