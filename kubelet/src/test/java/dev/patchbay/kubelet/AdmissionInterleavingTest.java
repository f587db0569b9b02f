package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.NIC;
import static dev.patchbay.kubelet.Pods.container;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.ScriptedPlugin.answer;
import static dev.patchbay.kubelet.ScriptedPlugin.device;
import static dev.patchbay.kubelet.ScriptedPlugin.edits;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.registration.PluginConnection;
import dev.patchbay.kubelet.registration.PluginObserver;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.TopologySettings;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Several pods are admitted at the same time, each on a thread of its own, and lists and ends of
/// pods come in between. Every thread is held before each call to a plugin, and which one goes on
/// is drawn: so the order of everything follows from the seed.
class AdmissionInterleavingTest {
  private static final int STEPS = 80;
  private static final int AT_ONCE = 5;

  private final Turnstile turnstile = new Turnstile();
  private final Map<String, PodSpec> inFlight = new TreeMap<>();
  private final Map<String, PodSpec> admitted = new TreeMap<>();
  private final Map<ResourceName, Set<DeviceId>> healthy = new TreeMap<>();
  private Random random = new Random();
  private volatile Set<String> mustInclude = Set.of();
  private int pods;

  /// `-Dpatchbay.seed=N` runs that seed alone.
  static Stream<Arguments> lives() {
    Integer one = Integer.getInteger("patchbay.seed");
    IntStream seeds = one == null ? IntStream.range(0, 2) : IntStream.of(one);
    return seeds
        .boxed()
        .flatMap(seed ->
            Stream.of(
                Arguments.of("none", "container", seed),
                Arguments.of("best-effort", "container", seed),
                Arguments.of("best-effort", "pod", seed),
                Arguments.of("restricted", "container", seed),
                Arguments.of("single-numa-node", "pod", seed)));
  }

  @ParameterizedTest(name = "{0}, {1}, seed {2}")
  @MethodSource("lives")
  void noDeviceIsGivenTwiceAndNoneThatIsUnhealthy(String policy, String scope, int seed)
      throws Exception {
    random = new Random(seed);
    try (KubeletSide kubelet =
        KubeletSide.startedWith(
            usual ->
                usual.withTopology(
                    TopologySettings.of(policy, scope), NumaMachine.regular(2, 1, 1)),
            turnstile)) {
      ScriptedPlugin gpus = plugin(kubelet, GPU, 10);
      ScriptedPlugin nics = plugin(kubelet, NIC, 6);
      for (int step = 0; step < STEPS; step++) {
        try {
          takeAStep(kubelet, gpus, nics);
          assertNoDeviceIsInTwoPlaces(kubelet);
          assertAdmittedPodsHoldWhatTheyAskedFor(kubelet);
        } catch (AssertionError e) {
          throw new AssertionError("step " + step + ": " + e.getMessage(), e);
        }
      }
      while (!inFlight.isEmpty()) letOneGoOn(kubelet);
      assertThat(pods).as("admissions").isGreaterThan(STEPS / 10);
      assertEverythingIsFreeInTheEnd(kubelet, gpus, nics);
    }
  }

  private ScriptedPlugin plugin(KubeletSide kubelet, ResourceName resource, int count) {
    ScriptedPlugin plugin = kubelet.plugin(resource.name() + ".sock");
    plugin.options =
        answer(
            DevicePluginOptions.newBuilder()
                .setGetPreferredAllocationAvailable(resource.equals(GPU))
                .build());
    plugin.preferred =
        (request, observer) -> {
          mustInclude = Set.copyOf(request.getContainerRequests(0).getMustIncludeDeviceIDsList());
          observer.onNext(ScriptedPlugin.prefer(anything()));
          observer.onCompleted();
        };
    plugin.allocate =
        (request, observer) -> {
          if (random.nextInt(8) == 0) observer.onError(Status.UNKNOWN.asException());
          else {
            observer.onNext(edits(_ -> {}));
            observer.onCompleted();
          }
        };
    plugin.list(devices(resource, count, true));
    assertThat(plugin.register(resource)).isEmpty();
    kubelet.awaitAllocatable(resource, count);
    return plugin;
  }

  private String[] anything() {
    return IntStream.range(0, random.nextInt(6))
        .mapToObj(_ -> "gpu-" + random.nextInt(15))
        .toArray(String[]::new);
  }

  /// Devices on the nodes 0 and 1, some on both and some on none.
  private Device[] devices(ResourceName resource, int count, boolean allHealthy) {
    Set<DeviceId> well = new TreeSet<>();
    Device[] devices = new Device[count];
    for (int i = 0; i < count; i++) {
      String id = resource.name() + "-" + i;
      Device device =
          switch (i % 5) {
            case 0 -> device(id);
            case 1 -> device(id, 0, 1);
            default -> device(id, i % 2);
          };
      boolean isHealthy = allHealthy || random.nextInt(5) > 0;
      if (isHealthy) well.add(DeviceId.of(id));
      devices[i] = isHealthy ? device : device.toBuilder().setHealth("Unhealthy").build();
    }
    healthy.put(resource, well);
    return devices;
  }

  private void takeAStep(KubeletSide kubelet, ScriptedPlugin gpus, ScriptedPlugin nics) {
    switch (random.nextInt(12)) {
      case 0 -> list(kubelet, gpus, GPU, devices(GPU, 10, false));
      case 1 -> list(kubelet, nics, NIC, devices(NIC, 6, false));
      case 2, 3 -> endOne(kubelet, admitted);
      case 4 -> endOne(kubelet, inFlight);
      case 5, 6, 7 -> admitOne(kubelet);
      default -> letOneGoOn(kubelet);
    }
  }

  private void list(
      KubeletSide kubelet, ScriptedPlugin plugin, ResourceName resource, Device[] devices) {
    plugin.list(devices);
    await()
        .until(
            () -> kubelet.manager().devices().inventory().find(resource).orElseThrow().healthy(),
            seen -> seen.equals(healthy.get(resource)));
  }

  /// A pod ends, perhaps in the middle of its admission.
  private void endOne(KubeletSide kubelet, Map<String, PodSpec> among) {
    if (among.isEmpty()) return;
    String uid = List.copyOf(among.keySet()).get(random.nextInt(among.size()));
    if (random.nextBoolean()) {
      kubelet.manager().release(uid);
    } else {
      kubelet.manager().remove(uid);
      kubelet.manager().collectGarbage();
    }
    assertThat(kubelet.manager().held()).doesNotContainKey(uid);
    admitted.remove(uid);
  }

  private void admitOne(KubeletSide kubelet) {
    if (inFlight.size() == AT_ONCE) return;
    PodSpec pod = randomPod("pod-" + pods++);
    inFlight.put(pod.uid(), pod);
    turnstile.start(pod.uid(), () -> kubelet.manager().admit(pod));
    settle(kubelet);
  }

  private PodSpec randomPod(String uid) {
    List<ContainerSpec> init = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) init.add(randomContainer("init-" + i, true));
    List<ContainerSpec> apps = new ArrayList<>();
    for (int i = 1 + random.nextInt(2); i > 0; i--) apps.add(randomContainer("app-" + i, false));
    return pod(uid, init, apps.toArray(ContainerSpec[]::new));
  }

  private ContainerSpec randomContainer(String name, boolean init) {
    Map<ResourceName, Long> limits = new LinkedHashMap<>();
    for (ResourceName each : random.nextBoolean() ? List.of(GPU, NIC) : List.of(NIC, GPU))
      if (random.nextInt(3) > 0) limits.put(each, random.nextLong(3));
    return container(name, limits, init && random.nextInt(3) == 0);
  }

  private void letOneGoOn(KubeletSide kubelet) {
    SortedMap<String, Asking> waiting = turnstile.waiting();
    if (waiting.isEmpty()) return;
    String uid = List.copyOf(waiting.keySet()).get(random.nextInt(waiting.size()));
    Asking asking = Objects.requireNonNull(waiting.get(uid));
    boolean isPreference = asking.call() == PluginObserver.Call.GET_PREFERRED_ALLOCATION;
    mustInclude = Set.of();
    turnstile.letGoOn(uid);
    Asking next = turnstile.waiting().get(uid);
    boolean isKnown = kubelet.manager().pod(uid).isPresent();
    if (isKnown && isPreference && next != null && next.call() == PluginObserver.Call.ALLOCATE)
      assertThat(next.devices())
          .as("what had to be included for %s, as far as it did not break meanwhile", uid)
          .containsAll(mustIncludeStill(asking.resource()));
    settle(kubelet);
  }

  private Set<DeviceId> mustIncludeStill(ResourceName resource) {
    Set<DeviceId> still = new TreeSet<>(Objects.requireNonNull(healthy.get(resource)));
    still.removeIf(id -> !mustInclude.contains(id.value()));
    return still;
  }

  /// Looks at what the threads are about to do, now that all of them wait or have ended.
  private void settle(KubeletSide kubelet) {
    turnstile
        .waiting()
        .forEach((uid, asking) -> {
          if (asking.call() != PluginObserver.Call.ALLOCATE || !asking.isNew()) return;
          assertThat(healthy.get(asking.resource()))
              .as("healthy devices, of which %s is about to get some", uid)
              .containsAll(asking.devices());
        });
    turnstile
        .ended()
        .forEach((uid, admission) -> {
          PodSpec pod = inFlight.remove(uid);
          switch (admission) {
            case Admission.Admitted _ -> {
              if (kubelet.manager().pod(uid).filter(KnownPod::isActive).isPresent())
                admitted.put(uid, pod);
            }
            case Admission.Refused _ ->
                assertThat(kubelet.manager().held())
                    .as("what refused pods hold")
                    .doesNotContainKey(uid);
          }
        });
  }

  /// Of one pod, only what an init container has may be in a later one, too.
  private void assertNoDeviceIsInTwoPlaces(KubeletSide kubelet) {
    Map<String, String> podOf = new TreeMap<>();
    kubelet
        .manager()
        .held()
        .forEach((uid, containers) -> {
          Set<String> lasting = new HashSet<>();
          containers.forEach((container, resources) ->
              resources.forEach((resource, ids) ->
                  ids.forEach(id -> {
                    String device = resource + " " + id;
                    assertThat(podOf.put(device, uid)).as("pod of %s", device).isIn(null, uid);
                    if (!isRegularInit(uid, container))
                      assertThat(lasting.add(device))
                          .as("%s is in one container of %s", device, uid)
                          .isTrue();
                  })));
        });
  }

  private boolean isRegularInit(String uid, String container) {
    PodSpec pod = admitted.getOrDefault(uid, inFlight.get(uid));
    return pod != null
        && pod.initContainers().stream()
            .anyMatch(each -> each.name().equals(container) && !each.sidecar());
  }

  private void assertAdmittedPodsHoldWhatTheyAskedFor(KubeletSide kubelet) {
    var held = kubelet.manager().held();
    admitted.forEach((uid, pod) ->
        pod.allContainers()
            .forEach(container ->
                container
                    .limits()
                    .forEach((resource, count) ->
                        assertThat(
                                held.getOrDefault(uid, Collections.emptySortedMap())
                                    .getOrDefault(container.name(), Collections.emptySortedMap())
                                    .getOrDefault(resource, Collections.emptySortedSet()))
                            .as("%s of %s in %s", resource, container.name(), uid)
                            .hasSize(count.intValue()))));
  }

  private void assertEverythingIsFreeInTheEnd(
      KubeletSide kubelet, ScriptedPlugin gpus, ScriptedPlugin nics) {
    while (!admitted.isEmpty()) endOne(kubelet, admitted);
    assertThat(kubelet.manager().held()).isEmpty();
    list(kubelet, gpus, GPU, devices(GPU, 10, true));
    list(kubelet, nics, NIC, devices(NIC, 6, true));
    assertThat(kubelet.manager().devices().allocations().countOf(GPU)).isZero();
    assertThat(kubelet.manager().devices().allocations().countOf(NIC)).isZero();
    assertThat(kubelet.manager().devices().allocatable().get(GPU)).hasSize(10);
  }

  /// What a thread is about to ask a plugin.
  ///
  /// @param isNew whether nothing has happened since it chose
  private record Asking(
      PluginObserver.Call call,
      ResourceName resource,
      SortedSet<DeviceId> devices,
      CompletableFuture<Boolean> permit,
      boolean isNew) {
    Asking seen() {
      return new Asking(call, resource, devices, permit, false);
    }
  }

  /// Holds each admission before each of its calls.
  private static final class Turnstile implements PluginObserver {
    private final Map<String, Asking> asking = new ConcurrentHashMap<>();
    private final Map<String, Admission> ended = new ConcurrentHashMap<>();

    @Override
    public void asking(PluginConnection connection, Call call, Collection<DeviceId> devices) {
      String uid = Thread.currentThread().getName();
      var permit = new CompletableFuture<Boolean>();
      asking.put(
          uid, new Asking(call, connection.resource(), new TreeSet<>(devices), permit, true));
      permit.join();
    }

    void start(String uid, Supplier<Admission> admission) {
      markSeen();
      Thread.ofVirtual().name(uid).start(() -> ended.put(uid, admission.get()));
      awaitIt(uid);
    }

    void letGoOn(String uid) {
      markSeen();
      Asking waiting = Objects.requireNonNull(asking.remove(uid));
      waiting.permit().complete(true);
      awaitIt(uid);
    }

    private void markSeen() {
      asking.replaceAll((_, each) -> each.seen());
    }

    private void awaitIt(String uid) {
      await()
          .pollInSameThread()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(1))
          .until(() -> asking.containsKey(uid) || ended.containsKey(uid));
    }

    SortedMap<String, Asking> waiting() {
      return new TreeMap<>(asking);
    }

    /// Those that ended since this was last asked.
    SortedMap<String, Admission> ended() {
      SortedMap<String, Admission> now = new TreeMap<>(ended);
      ended.keySet().removeAll(now.keySet());
      return now;
    }
  }
}
