package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.NIC;
import static dev.patchbay.kubelet.Pods.container;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.ScriptedPlugin.edits;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateResponse;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/// Many pods at the same time, over real sockets, with plugins that fail now and then.
class CrowdTest {
  private static final long SEED = Long.getLong("patchbay.seed", 20_261_122);
  private static final int THREADS = 8;
  private static final int PODS_EACH = 40;

  @AutoClose private final KubeletSide kubelet = KubeletSide.started();
  @AutoClose private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @Test
  void noDeviceIsEverInTwoPodsAndInTheEndAllAreFree() throws Exception {
    String[] gpus = ids("gpu", 10);
    String[] nics = ids("nic", 6);
    failNowAndThen(kubelet.registered(GPU, gpus));
    failNowAndThen(kubelet.registered(NIC, nics));

    List<Future<Integer>> crowd = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      int number = i;
      crowd.add(threads.submit(() -> livePods(number)));
    }
    int admitted = 0;
    for (Future<Integer> each : crowd) admitted += each.get();

    assertThat(admitted).as("pods admitted, seed %d", SEED).isGreaterThan(THREADS);
    assertThat(kubelet.manager().held()).as("seed %d", SEED).isEmpty();
    assertThat(kubelet.restart().held()).as("in the checkpoint, seed %d", SEED).isEmpty();
    kubelet.manager().sourcesReady(true);
    kubelet.registered(GPU, gpus);
    kubelet.registered(NIC, nics);
    kubelet.admit(pod("all", List.of(), container("main", Map.of(GPU, 10L, NIC, 6L), false)));
  }

  private static String[] ids(String prefix, int count) {
    return IntStream.range(0, count).mapToObj(i -> prefix + "-" + i).toArray(String[]::new);
  }

  private static void failNowAndThen(ScriptedPlugin plugin) {
    var calls = new AtomicInteger();
    plugin.allocate =
        (request, observer) -> {
          switch (calls.incrementAndGet() % 7) {
            case 3 -> observer.onError(Status.UNKNOWN.withDescription("now").asException());
            case 5 ->
                ScriptedPlugin.<Object, AllocateResponse>answer(
                        AllocateResponse.getDefaultInstance())
                    .run(request, observer);
            default ->
                ScriptedPlugin.<Object, AllocateResponse>answer(edits(_ -> {}))
                    .run(request, observer);
          }
        };
  }

  /// @return how many of its pods were admitted
  private int livePods(int number) {
    var random = new Random(SEED + number);
    int admitted = 0;
    List<String> alive = new ArrayList<>();
    for (int i = 0; i < PODS_EACH; i++) {
      PodSpec pod = randomPod("pod-" + number + "-" + i, random);
      switch (kubelet.manager().admit(pod)) {
        case Admission.Admitted _ -> {
          admitted++;
          alive.add(pod.uid());
          assertHoldsWhatItAskedFor(pod);
        }
        case Admission.Refused _ ->
            assertThat(kubelet.manager().held())
                .as("of a refused pod, seed %d", SEED)
                .doesNotContainKey(pod.uid());
      }
      assertNoDeviceIsInTwoPods();
      if (alive.size() > 2 || (random.nextBoolean() && !alive.isEmpty()))
        kubelet.manager().release(alive.remove(random.nextInt(alive.size())));
    }
    alive.forEach(kubelet.manager()::release);
    return admitted;
  }

  private static PodSpec randomPod(String uid, Random random) {
    return pod(
        uid,
        List.of(container("init", random.nextInt(3))),
        container("one", Map.of(GPU, random.nextLong(3), NIC, random.nextLong(3)), false),
        container("two", random.nextInt(2)));
  }

  private void assertHoldsWhatItAskedFor(PodSpec pod) {
    var held = kubelet.manager().held().getOrDefault(pod.uid(), new TreeMap<>());
    for (var each : pod.containers())
      each.limits()
          .forEach((resource, count) ->
              assertThat(devices(held.getOrDefault(each.name(), new TreeMap<>()), resource))
                  .as("%s of %s/%s, seed %d", resource, pod.uid(), each.name(), SEED)
                  .hasSize(count.intValue()));
  }

  private static Set<DeviceId> devices(
      Map<ResourceName, ? extends Set<DeviceId>> held, ResourceName resource) {
    Set<DeviceId> devices = held.get(resource);
    return devices == null ? Set.of() : devices;
  }

  private void assertNoDeviceIsInTwoPods() {
    Map<DeviceId, String> podOf = new TreeMap<>();
    kubelet
        .manager()
        .held()
        .forEach((uid, containers) ->
            containers.values().stream()
                .flatMap(resources -> resources.values().stream())
                .flatMap(Set::stream)
                .distinct()
                .forEach(id ->
                    assertThat(podOf.put(id, uid))
                        .as("pod that holds %s beside %s, seed %d", id, uid, SEED)
                        .isIn(null, uid)));
  }
}
