package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.NIC;
import static dev.patchbay.kubelet.Pods.container;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.ScriptedPlugin.answer;
import static dev.patchbay.kubelet.ScriptedPlugin.device;
import static dev.patchbay.kubelet.ScriptedPlugin.edits;
import static dev.patchbay.kubelet.ScriptedPlugin.fail;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.patchbay.kubelet.cpu.CpuOption;
import dev.patchbay.kubelet.cpu.CpuOptions;
import dev.patchbay.kubelet.cpu.CpuSet;
import dev.patchbay.kubelet.cpu.CpuSettings;
import dev.patchbay.kubelet.memory.MemorySettings;
import dev.patchbay.kubelet.pods.NativeResources;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.DraBacked;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.TopologySettings;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import dev.patchbay.proto.deviceplugin.v1beta1.PreStartContainerResponse;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Every way in which a pod, or the start of one of its containers, can fail because of what it
/// asks for: the situation, and the kubelet's reason and text for it, word by word.
class RefusalTextsTest {
  private static final long MI = 1L << 20;
  private static final NumaMachine MACHINE = NumaMachine.regular(2, 4, 1024 * MI);

  @AutoClose private final KubeletSide kubelet = KubeletSide.started();

  /// Brings something about on a fresh kubelet.
  interface Situation {
    /// The pod that is refused, or does not start.
    PodSpec in(KubeletSide kubelet) throws IOException;
  }

  @ParameterizedTest
  @MethodSource({
    "whatTheDeviceManagerSays",
    "whatPluginsSay",
    "whatOtherManagersSay",
    "whatTheNodeLacks"
  })
  void aPodIsRefusedFor(Situation situation, String reason, String message) throws IOException {
    PodSpec pod = situation.in(kubelet);

    assertThat(kubelet.manager().admit(pod))
        .isEqualTo(
            new Admission.Refused(
                reason, message.replace("DIRECTORY", kubelet.directory().toString())));
  }

  static Stream<Arguments> whatTheDeviceManagerSays() {
    return Stream.of(
        refused(
            "more than there are",
            side -> {
              side.registered(GPU, "a", "b");
              return pod("p", 3);
            },
            "requested number of devices unavailable for vendor.example/gpu. Requested: 3,"
                + " Available: 2"),
        refused(
            "more than others left",
            side -> {
              side.registered(GPU, "a", "b");
              side.admit(pod("other", 1));
              return pod("p", 2);
            },
            "requested number of devices unavailable for vendor.example/gpu. Requested: 2,"
                + " Available: 1"),
        refused(
            "more than an init container and others left",
            side -> {
              side.registered(GPU, "a", "b", "c");
              side.admit(pod("other", 1));
              return pod("p", List.of(container("init", 1)), container("main", 4));
            },
            "requested number of devices unavailable for vendor.example/gpu. Requested: 3,"
                + " Available: 1"),
        refused(
            "another number than before",
            side -> {
              side.registered(GPU, "a", "b");
              side.admit(pod("p", 2));
              return pod("p", 1);
            },
            "pod \"p\" container \"main\" changed request for resource \"vendor.example/gpu\" from"
                + " 2 to 1"),
        refused(
            "a plugin that never came back, of a resource that somebody holds",
            side -> {
              ScriptedPlugin plugin = side.registered(GPU, "a");
              side.admit(pod("other", 1));
              goneForGood(side, plugin);
              return pod("p", 1);
            },
            "cannot allocate unregistered device vendor.example/gpu"),
        refused(
            "none at all of such a resource",
            side -> {
              ScriptedPlugin plugin = side.registered(GPU, "a");
              side.admit(pod("other", 1));
              goneForGood(side, plugin);
              return pod("p", 0);
            },
            "cannot allocate unregistered device vendor.example/gpu"),
        refused(
            "devices that are all broken",
            side -> {
              ScriptedPlugin plugin = side.registered(GPU, "a", "b");
              plugin.list(device("a", "Unhealthy"), device("b", "healthy"));
              side.awaitAllocatable(GPU, 0);
              return pod("p", 1);
            },
            "no healthy devices present; cannot allocate unhealthy devices vendor.example/gpu"),
        refused(
            "none at all of devices that are all broken",
            side -> {
              side.registered(GPU, "a").list(device("a", ""));
              side.awaitAllocatable(GPU, 0);
              return pod("p", 0);
            },
            "no healthy devices present; cannot allocate unhealthy devices vendor.example/gpu"),
        refused(
            "an empty list",
            side -> {
              side.registered(GPU, "a").list(new Device[0]);
              side.awaitCapacity(GPU, 0);
              return pod("p", 1);
            },
            "no healthy devices present; cannot allocate unhealthy devices vendor.example/gpu"),
        refused(
            "a plugin that is away",
            side -> {
              side.registered(GPU, "a").close();
              side.awaitAllocatable(GPU, 0);
              return pod("p", 1);
            },
            "no healthy devices present; cannot allocate unhealthy devices vendor.example/gpu"),
        refused(
            "a plugin that is not back after a restart",
            side -> {
              side.registered(GPU, "a");
              side.settled().restart().sourcesReady(true);
              return pod("p", 1);
            },
            "no healthy devices present; cannot allocate unhealthy devices vendor.example/gpu"),
        refused(
            "a device that broke since the pod was admitted",
            side -> {
              ScriptedPlugin plugin = side.registered(GPU, "a", "b");
              side.admit(pod("p", 1));
              plugin.list(device("a", "Unhealthy"), device("b"));
              side.awaitAllocatable(GPU, 1);
              return pod("p", 1);
            },
            "previously allocated devices are no longer healthy; cannot allocate unhealthy devices"
                + " vendor.example/gpu"),
        refused(
            "a device that is not listed any more",
            side -> {
              ScriptedPlugin plugin = side.registered(GPU, "a", "b");
              side.admit(pod("p", 1));
              plugin.list("b");
              side.awaitAllocatable(GPU, 1);
              return pod("p", 1);
            },
            "previously allocated devices are no longer healthy; cannot allocate unhealthy devices"
                + " vendor.example/gpu"),
        refused(
            "a checkpoint that cannot be written",
            side -> {
              side.registered(GPU, "a");
              side.settled();
              Files.move(side.directory(), side.directory().resolveSibling("away"));
              Files.createFile(side.directory());
              return pod("p", 1);
            },
            "failed to write checkpoint file \"kubelet_internal_checkpoint\":"
                + " java.nio.file.FileAlreadyExistsException: DIRECTORY"));
  }

  static Stream<Arguments> whatPluginsSay() {
    return Stream.of(
        refused(
            "an error of Allocate",
            side -> {
              side.registered(GPU, "a").allocate =
                  fail(Status.UNKNOWN.withDescription("device on fire"));
              return pod("p", 1);
            },
            "rpc error: code = Unknown desc = device on fire"),
        refused(
            "an Allocate that nobody serves",
            side -> {
              side.registered(GPU, "a").allocate = fail(Status.UNIMPLEMENTED);
              return pod("p", 1);
            },
            "rpc error: code = Unimplemented desc = "),
        refused(
            "an answer for no container",
            side -> {
              side.registered(GPU, "a").allocate = answer(AllocateResponse.getDefaultInstance());
              return pod("p", 1);
            },
            "no containers return in allocation response "),
        refused(
            "an error of GetPreferredAllocation",
            side -> {
              ScriptedPlugin plugin = withOptions(side, opinionated(), "a", "b");
              plugin.preferred = fail(Status.INTERNAL.withDescription("no idea"));
              return pod("p", 1);
            },
            "device plugin GetPreferredAllocation rpc failed with err: rpc error: code = Internal"
                + " desc = no idea"),
        refused(
            "a plugin that takes another's devices away while it is asked",
            side -> {
              ScriptedPlugin nic = side.registered(NIC, "nic-0");
              side.registered(GPU, "a").allocate =
                  (_, observer) -> {
                    nic.close();
                    side.awaitAllocatable(NIC, 0);
                    observer.onNext(edits(_ -> {}));
                    observer.onCompleted();
                  };
              return pod("p", List.of(), container("main", Map.of(GPU, 1L, NIC, 1L), false));
            },
            "no healthy devices present; cannot allocate unhealthy devices vendor.example/nic"));
  }

  static Stream<Arguments> whatOtherManagersSay() {
    return Stream.of(
        argumentSet(
            "devices on two nodes where one is demanded",
            situation(side -> {
              side.restartWith(topology("single-numa-node"));
              gpus(side, device("a", 0), device("b", 1));
              return pod("p", 2);
            }),
            "TopologyAffinityError",
            "Resources cannot be allocated with Topology locality"),
        argumentSet(
            "devices that only unknown nodes have",
            situation(side -> {
              side.restartWith(topology("restricted"));
              gpus(side, device("a", 7));
              return pod("p", 1);
            }),
            "TopologyAffinityError",
            "Resources cannot be allocated with Topology locality"),
        argumentSet(
            "more than there are, where places matter",
            situation(side -> {
              side.restartWith(topology("restricted"));
              gpus(side, device("a", 0));
              return pod("p", 2);
            }),
            "TopologyAffinityError",
            "Resources cannot be allocated with Topology locality"),
        refused(
            "the same where a place is a wish",
            side -> {
              side.restartWith(topology("best-effort"));
              gpus(side, device("a", 0));
              return pod("p", 2);
            },
            "requested number of devices unavailable for vendor.example/gpu. Requested: 2,"
                + " Available: 1"),
        argumentSet(
            "devices for which a dynamic resource stands, which have no place",
            situation(side -> {
              side.restartWith(topology("single-numa-node"));
              gpus(side, device("a", 0), device("b", 1));
              return pod("p", 2)
                  .withDynamicResources(List.of(), Set.of(new DraBacked("main", GPU)));
            }),
            "TopologyAffinityError",
            "Resources cannot be allocated with Topology locality"),
        refused(
            "more CPUs than there are",
            side -> {
              side.restartWith(host(MACHINE, CpuOptions.NONE));
              return pinned(8, 100);
            },
            "not enough cpus available to satisfy request: requested=8, available=7"),
        refused(
            "more memory than there is",
            side -> {
              side.restartWith(host(MACHINE, CpuOptions.NONE));
              return pinned(1, 3000);
            },
            "[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough"
                + " memory is available"),
        argumentSet(
            "half a core",
            situation(side -> {
              side.restartWith(host(hyperthreaded(), wholeCores()));
              return pinned(3, 100);
            }),
            "SMTAlignmentError",
            "SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2"),
        argumentSet(
            "more cores than are free as a whole",
            situation(side -> {
              side.restartWith(host(hyperthreaded(), wholeCores()));
              return pinned(8, 100);
            }),
            "SMTAlignmentError",
            "SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 6,"
                + " requested CPUs = 8, CPUs per core = 2"));
  }

  static Stream<Arguments> whatTheNodeLacks() {
    return Stream.of(
        misfit(
            "a resource that nobody ever registered",
            _ -> pod("p", 2),
            "vendor.example/gpu",
            "requested: 2, used: 0, capacity: 0"),
        misfit(
            "a plugin that has listed nothing yet",
            side -> {
              assertThat(side.plugin("gpu.sock").register(GPU)).isEmpty();
              return pod("p", 1);
            },
            "vendor.example/gpu",
            "requested: 1, used: 0, capacity: 0"),
        misfit(
            "a plugin that failed before its first list",
            side -> {
              ScriptedPlugin plugin = side.plugin("gpu.sock");
              assertThat(plugin.register(GPU)).isEmpty();
              await().until(() -> plugin.calls().contains("ListAndWatch"));
              plugin.endStreams();
              side.awaitCapacity(GPU, 0);
              return pod("p", 1);
            },
            "vendor.example/gpu",
            "requested: 1, used: 0, capacity: 0"),
        misfit(
            "what others ask for, though they hold nothing",
            side -> {
              side.restartWith(usual -> usual.withUnknownResources(UnknownResources.IGNORE));
              side.admit(pod("early", 2));
              side.registered(GPU, "a", "b", "c");
              return pod("p", 2);
            },
            "vendor.example/gpu",
            "requested: 2, used: 2, capacity: 3"),
        misfit(
            "more CPU than the node has",
            side -> {
              side.restartWith(node(Map.of("cpu", 4000L)));
              side.admit(pinned("other", 2, 1));
              return pinned(3, 1);
            },
            "cpu",
            "requested: 3000, used: 2000, capacity: 4000"),
        misfit(
            "more memory than the node has",
            side -> {
              side.restartWith(node(Map.of("memory", 100 * MI)));
              return pinned(1, 101);
            },
            "memory",
            "requested: 105906176, used: 0, capacity: 104857600"),
        misfit(
            "more pods than the node takes",
            side -> {
              side.restartWith(node(Map.of("pods", 1L)));
              side.admit(pod("other", 0));
              return pod("p", 0);
            },
            "pods",
            "requested: 1, used: 1, capacity: 1"));
  }

  /// The container waits as `CreateContainerConfigError` with this text, and is tried again.
  @ParameterizedTest
  @MethodSource
  void aContainerDoesNotStartFor(Situation situation, String message) throws IOException {
    PodSpec pod = situation.in(kubelet);

    assertThatThrownBy(() -> kubelet.manager().runOptions(pod, "main"))
        .isInstanceOf(IOException.class)
        .hasMessage(message);
  }

  static Stream<Arguments> aContainerDoesNotStartFor() {
    return Stream.of(
        start(
            "an error of PreStartContainer",
            side -> {
              ScriptedPlugin plugin = withOptions(side, preparing(), "a");
              plugin.preStart = fail(Status.UNKNOWN.withDescription("device busy"));
              side.admit(pod("p", 1));
              return pod("p", 1);
            },
            "device plugin PreStartContainer rpc failed with err: rpc error: code = Unknown desc ="
                + " device busy"),
        start(
            "nothing to prepare",
            side -> {
              withOptions(side, preparing(), "a");
              side.manager().know(pod("p", 1));
              return pod("p", 1);
            },
            "no devices found allocated in local cache for pod p, container main, resource"
                + " vendor.example/gpu"),
        start(
            "nothing to prepare, since a dynamic resource stands for it",
            side -> {
              withOptions(side, preparing(), "a");
              PodSpec pod =
                  pod("p", 1).withDynamicResources(List.of(), Set.of(new DraBacked("main", GPU)));
              side.admit(pod);
              return pod;
            },
            "no devices found allocated in local cache for pod p, container main, resource"
                + " vendor.example/gpu"),
        start(
            "a plugin that is away and was to prepare it",
            side -> {
              ScriptedPlugin plugin = withOptions(side, preparing(), "a");
              side.admit(pod("p", 1));
              plugin.close();
              side.awaitAllocatable(GPU, 0);
              return pod("p", 1);
            },
            "device plugin PreStartContainer rpc failed with err: endpoint of vendor.example/gpu"
                + " has been stopped"),
        start(
            "a plugin that never came back",
            side -> {
              ScriptedPlugin plugin = side.registered(GPU, "a");
              side.admit(pod("p", 1));
              goneForGood(side, plugin);
              return pod("p", 1);
            },
            "endpoint not found in cache for a registered resource: vendor.example/gpu"),
        start(
            "a device that is allocated now and refused",
            side -> {
              side.registered(GPU, "a").allocate = fail(Status.ABORTED.withDescription("not now"));
              side.manager().know(pod("p", 1));
              return pod("p", 1);
            },
            "rpc error: code = Aborted desc = not now"),
        start(
            "a device that is allocated now and not there",
            side -> {
              side.registered(GPU, "a");
              side.admit(pod("other", 1));
              side.manager().know(pod("p", 1));
              return pod("p", 1);
            },
            "requested number of devices unavailable for vendor.example/gpu. Requested: 1,"
                + " Available: 0"));
  }

  private static Arguments refused(String name, Situation situation, String why) {
    return argumentSet(
        name,
        situation,
        "UnexpectedAdmissionError",
        "Allocate failed due to " + why + ", which is unexpected");
  }

  private static Arguments misfit(
      String name, Situation situation, String resource, String numbers) {
    return argumentSet(
        name,
        situation,
        "OutOf" + resource,
        "Node didn't have enough resource: " + resource + ", " + numbers);
  }

  private static Arguments start(String name, Situation situation, String message) {
    return argumentSet(name, situation, message);
  }

  private static Situation situation(Situation situation) {
    return situation;
  }

  private static void goneForGood(KubeletSide side, ScriptedPlugin plugin) {
    plugin.close();
    side.awaitAllocatable(GPU, 0);
    side.clock.advance(Duration.ofMinutes(6));
    assertThat(side.counts(GPU)).isEqualTo("0/0");
  }

  private static DevicePluginOptions opinionated() {
    return DevicePluginOptions.newBuilder().setGetPreferredAllocationAvailable(true).build();
  }

  private static DevicePluginOptions preparing() {
    return DevicePluginOptions.newBuilder().setPreStartRequired(true).build();
  }

  private static ScriptedPlugin withOptions(
      KubeletSide side, DevicePluginOptions options, String... ids) {
    ScriptedPlugin plugin = side.plugin("gpu.sock").list(ids);
    plugin.options = answer(options);
    plugin.preStart = answer(PreStartContainerResponse.getDefaultInstance());
    assertThat(plugin.register(GPU)).isEmpty();
    side.awaitAllocatable(GPU, ids.length);
    return plugin;
  }

  private static void gpus(KubeletSide side, Device... devices) {
    ScriptedPlugin plugin = side.plugin("gpu.sock").list(devices);
    assertThat(plugin.register(GPU)).isEmpty();
    side.awaitAllocatable(GPU, devices.length);
  }

  private static UnaryOperator<KubeletSettings> topology(String policy) {
    return usual -> usual.withTopology(TopologySettings.of(policy, "container"), MACHINE);
  }

  private static UnaryOperator<KubeletSettings> host(NumaMachine machine, CpuOptions options) {
    return usual ->
        usual
            .withTopology(TopologySettings.DEFAULTS, machine)
            .withHost(
                new HostSettings(
                    CpuSettings.reserving(CpuSet.of(0)).with(options),
                    MemorySettings.reservingOn(0),
                    Optional.empty()));
  }

  private static UnaryOperator<KubeletSettings> node(Map<String, Long> allocatable) {
    return usual -> usual.withNodeAllocatable(new TreeMap<>(allocatable));
  }

  private static CpuOptions wholeCores() {
    return CpuOptions.of(CpuOption.WHOLE_CORES);
  }

  /// One node of four cores with two CPUs each.
  private static NumaMachine hyperthreaded() {
    List<NumaMachine.Core> cores =
        IntStream.range(0, 4)
            .mapToObj(core -> new NumaMachine.Core(core, 0, List.of(core, core + 4)))
            .toList();
    return new NumaMachine(
        List.of(new NumaMachine.Node(0, 1024 * MI, new TreeMap<>(), List.of(), cores)));
  }

  private static PodSpec pinned(long cpus, long memoryMi) {
    return pinned("p", cpus, memoryMi);
  }

  /// A Guaranteed pod.
  private static PodSpec pinned(String uid, long cpus, long memoryMi) {
    var asked = new TreeMap<>(Map.of("cpu", 1000 * cpus, "memory", memoryMi * MI));
    return pod(
        uid, List.of(), container("main", 0).withResources(new NativeResources(asked, asked)));
  }
}
