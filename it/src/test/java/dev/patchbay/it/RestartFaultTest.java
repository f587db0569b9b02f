package dev.patchbay.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.patchbay.agent.Agent;
import dev.patchbay.agent.config.AgentConfig;
import dev.patchbay.agent.config.ConfigReader;
import dev.patchbay.agent.config.ConfigReading;
import dev.patchbay.host.HostRoot;
import dev.patchbay.kubelet.Admission;
import dev.patchbay.kubelet.Kubelet;
import dev.patchbay.kubelet.KubeletSettings;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Kubelet and agent restart in every order, two hundred times and more, while devices come and go
/// and pods are admitted and end.
final class RestartFaultTest {
  private static final long SEED = Long.getLong("patchbay.seed", 20_261_121);
  private static final int RESTARTS = 210;
  private static final List<ResourceName> RESOURCES =
      List.of(
          ResourceName.of("a.example/x"),
          ResourceName.of("a.example/y"),
          ResourceName.of("a.example/z"));
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Random random = new Random(SEED);
  private final Map<ResourceName, Integer> devices = new HashMap<>();
  private final Set<ResourceName> withOneOutOfService = new HashSet<>();
  private final Map<String, PodSpec> podsThatRun = new HashMap<>();
  private Path dir = Path.of("/nonexistent");
  private int pods;

  @BeforeEach
  void makeDirectory() throws IOException {
    dir = Files.createTempDirectory(Path.of("/tmp"), "pbf");
    Files.createDirectories(dir.resolve("host/dev"));
    for (ResourceName resource : RESOURCES) devices.put(resource, 0);
    changeDevices();
  }

  @AfterEach
  void removeDirectory() throws IOException {
    try (Stream<Path> tree = Files.walk(dir)) {
      for (Path path : tree.sorted((a, b) -> b.compareTo(a)).toList()) Files.delete(path);
    }
  }

  @Test
  void nothingIsLostOrGivenTwiceOverTwoHundredRestarts() throws Exception {
    Usage before = new Usage(0, 0);
    Kubelet kubelet = startKubelet();
    Agent agent = startAgent();
    for (int round = 0; round < RESTARTS; round++) {
      switch (round % 6) {
        case 0 -> {
          kubelet.close();
          kubelet = startKubelet();
        }
        case 1 -> {
          agent.close();
          agent = startAgent();
        }
        case 2 -> {
          kubelet.close();
          agent.close();
          kubelet = startKubelet();
          agent = startAgent();
        }
        case 3 -> {
          agent.close();
          kubelet.close();
          agent = startAgent();
          kubelet = startKubelet();
        }
        case 4 -> {
          kubelet.close();
          changeDevices();
          kubelet = startKubelet();
        }
        default -> {
          agent.close();
          changeDevices();
          agent = startAgent();
        }
      }
      changeDevices();
      agent.apply(config());
      awaitAllRegistered(kubelet, round);
      endSomePods(kubelet);
      admitSomePods(kubelet);
      assertNoDeviceTwice(kubelet, round);
      if (round == 30) before = Usage.now();
    }
    Usage after = Usage.now();
    Usage baseline = before;
    // What grows with each restart would have grown by 180 or more since the baseline was taken.
    assertThat(after.threads())
        .as("threads, at round 30: %s", baseline)
        .isLessThan(baseline.threads() + 30);
    assertThat(after.descriptors())
        .as("descriptors, at round 30: %s", baseline)
        .isLessThan(baseline.descriptors() + 30);

    agent.close();
    assertThat(sockets()).as("sockets after the agent ended").containsExactly("kubelet.sock");
    kubelet.close();
    assertThat(sockets()).as("sockets after both ended").isEmpty();
  }

  private Kubelet startKubelet() throws IOException {
    var manager =
        new Kubelet(KubeletSettings.of(dir.resolve("device-plugins")), InstantSource.system());
    manager.start(Set.of());
    podsThatRun.values().forEach(manager::know);
    manager.sourcesReady(true);
    return manager;
  }

  private Agent startAgent() throws IOException {
    return Agent.start(HostRoot.of(dir.resolve("host")), dir, config(), InstantSource.system());
  }

  /// The devices are plain files, offered as mounts: device nodes would need root.
  private AgentConfig config() {
    var text = new StringBuilder("version: 1\nhealth: {gone-after: 0s, flap-changes: 1000}\n");
    text.append("out-of-service:");
    if (withOneOutOfService.isEmpty()) text.append(" []");
    for (ResourceName resource : withOneOutOfService)
      text.append("\n- {resource: %s, device: %s0}".formatted(resource, resource.name()));
    text.append("\ndrivers:\n  device-node:\n    domain: a.example\n    devices:\n");
    for (ResourceName resource : RESOURCES)
      text.append(
          "    - {name: %1$s, groups: [{paths: [{path: '/dev/%1$s*', type: mount}]}]}\n"
              .formatted(resource.name()));
    return switch (ConfigReader.read("the test's", text.toString())) {
      case ConfigReading.Valid valid -> valid.config();
      case ConfigReading.Wrong wrong -> throw new AssertionError(wrong.problems());
    };
  }

  /// Each resource has 2 to 9 devices from now on, the first of them out of service now and then.
  private void changeDevices() throws IOException {
    withOneOutOfService.clear();
    for (ResourceName resource : RESOURCES) {
      int before = count(resource);
      int now = 2 + random.nextInt(8);
      for (int index = before; index < now; index++) Files.createFile(file(resource, index));
      for (int index = now; index < before; index++) Files.delete(file(resource, index));
      devices.put(resource, now);
      if (random.nextBoolean()) withOneOutOfService.add(resource);
    }
  }

  private Path file(ResourceName resource, int index) {
    return dir.resolve("host/dev").resolve(resource.name() + index);
  }

  private int count(ResourceName resource) {
    return devices.getOrDefault(resource, 0);
  }

  private void awaitAllRegistered(Kubelet kubelet, int round) throws InterruptedException {
    Map<ResourceName, Long> healthy = new HashMap<>();
    Map<ResourceName, Long> all = new HashMap<>();
    for (ResourceName resource : RESOURCES) {
      all.put(resource, (long) count(resource));
      healthy.put(resource, count(resource) - (withOneOutOfService.contains(resource) ? 1L : 0L));
    }
    boolean arrived =
        kubelet.awaitResources(
            now -> now.capacity().equals(all) && now.allocatable().equals(healthy), PATIENCE);
    assertThat(arrived)
        .as(
            "round %d, seed %d: wanted %s healthy of %s, have %s",
            round, SEED, healthy, all, kubelet.nodeResources())
        .isTrue();
  }

  private void admitSomePods(Kubelet kubelet) {
    for (int i = random.nextInt(4); i > 0; i--) {
      var pod =
          pod(
              "pod-" + pods++,
              RESOURCES.get(random.nextInt(RESOURCES.size())),
              1 + random.nextInt(3));
      if (kubelet.admit(pod) instanceof Admission.Admitted) podsThatRun.put(pod.uid(), pod);
      else kubelet.release(pod.uid());
    }
  }

  private void endSomePods(Kubelet kubelet) {
    for (String uid : List.copyOf(podsThatRun.keySet())) {
      if (random.nextInt(3) == 0) {
        podsThatRun.remove(uid);
        kubelet.release(uid);
      }
    }
  }

  private static PodSpec pod(String name, ResourceName resource, long count) {
    var limits = new LinkedHashMap<ResourceName, Long>();
    limits.put(resource, count);
    var container =
        new PodSpec.ContainerSpec(
            "main", "none", List.of(), List.of(), "", new LinkedHashMap<>(), limits, false);
    return new PodSpec(
        name,
        "default",
        name,
        Map.of(),
        List.of(),
        List.of(container),
        PodSpec.RestartPolicy.ALWAYS);
  }

  private void assertNoDeviceTwice(Kubelet kubelet, int round) {
    Set<String> seen = new HashSet<>();
    Set<String> holders = new HashSet<>();
    kubelet
        .held()
        .forEach((pod, containers) ->
            containers.forEach((container, resources) -> {
              holders.add(pod);
              resources.forEach((resource, ids) ->
                  ids.forEach(id ->
                      assertThat(seen.add(resource + "=" + id))
                          .as("round %d, seed %d: %s %s is held once", round, SEED, resource, id)
                          .isTrue()));
            }));
    assertThat(holders)
        .as("round %d, seed %d: pods that hold devices", round, SEED)
        .isEqualTo(podsThatRun.keySet());
  }

  private List<String> sockets() throws IOException {
    try (Stream<Path> files = Files.list(dir.resolve("device-plugins"))) {
      return files
          .map(path -> path.getFileName().toString())
          .filter(name -> name.endsWith(".sock"))
          .toList();
    }
  }

  /// Threads (also virtual threads' carriers) and open file descriptors of this process.
  private record Usage(int threads, int descriptors) {
    static Usage now() throws IOException {
      System.gc();
      List<Usage> seen = new ArrayList<>();
      // Closing runs behind the calls by a little: take the lowest of what is seen until it stays
      // the same.
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(200))
          .until(() -> {
            seen.add(new Usage(count("/proc/self/task"), count("/proc/self/fd")));
            return seen.size() > 2 && seen.getLast().equals(seen.get(seen.size() - 2));
          });
      return seen.getLast();
    }

    private static int count(String directory) throws IOException {
      try (Stream<Path> entries = Files.list(Path.of(directory))) {
        return (int) entries.count();
      }
    }
  }
}
