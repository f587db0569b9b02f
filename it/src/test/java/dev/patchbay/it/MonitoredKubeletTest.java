package dev.patchbay.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.cli.Patchbay;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import dev.patchbay.proto.podresources.v1.AllocatableResourcesRequest;
import dev.patchbay.proto.podresources.v1.ContainerDevices;
import dev.patchbay.proto.podresources.v1.GetPodResourcesRequest;
import dev.patchbay.proto.podresources.v1.ListPodResourcesRequest;
import dev.patchbay.proto.podresources.v1.PodResources;
import dev.patchbay.proto.podresources.v1.PodResourcesListerGrpc;
import dev.patchbay.proto.podresources.v1.PodResourcesListerGrpc.PodResourcesListerBlockingStub;
import dev.patchbay.rpc.Transport;
import dev.patchbay.testkit.ScriptedPlugin;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What monitors learn of a node: `patchbay kubelet` in a process of its own, a plugin, a pod, the
/// PodResources socket and the pages.
@Timeout(180)
final class MonitoredKubeletTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String TOY = "a.b/toy";

  private final Transport transport = Transport.open();
  private Path dir = Path.of("/nonexistent");
  private int port;

  @BeforeEach
  void prepare() throws IOException {
    dir = Files.createTempDirectory(Path.of("/tmp"), "pb");
    Files.createDirectory(dir.resolve("manifests"));
    try (var socket = new ServerSocket(0)) {
      port = socket.getLocalPort();
    }
  }

  @AfterEach
  void clean() throws IOException {
    transport.close();
    try (Stream<Path> tree = Files.walk(dir)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) Files.delete(path);
    }
  }

  private JavaProcess kubelet(String... more) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "kubelet",
                "--dir",
                dir.toString(),
                "--runtime",
                "/nonexistent",
                "--http",
                "127.0.0.1:" + port));
    arguments.addAll(List.of(more));
    return JavaProcess.start(Patchbay.class.getName(), arguments.toArray(String[]::new));
  }

  @Test
  void aMonitorSeesWhatAPodHoldsAndWhatWasCounted() throws Exception {
    try (var _ = kubelet()) {
      Awaitility.await()
          .atMost(SOON)
          .until(() -> Files.exists(dir.resolve("device-plugins/kubelet.sock")));
      try (var plugin =
          ScriptedPlugin.serve(dir, TOY, "toy.sock", DevicePluginOptions.getDefaultInstance())) {
        plugin.list("t0", "t1", "t2");
        plugin.register();
        Awaitility.await().atMost(SOON).until(() -> allocatable().size() == 3);

        Files.writeString(dir.resolve("manifests/holder.yaml"), pod("holder", 2));
        Awaitility.await().atMost(SOON).until(() -> held("holder").equals(List.of("t0", "t1")));

        assertThat(allocatable()).containsExactly("t0", "t1", "t2");
        assertThat(
                stub()
                    .get(
                        GetPodResourcesRequest.newBuilder()
                            .setPodName("holder")
                            .setPodNamespace("default")
                            .build())
                    .getPodResources())
            .isEqualTo(listed("holder").getFirst());

        assertThat(page("/healthz")).isEqualTo("ok");
        assertThat(page("/healthz?verbose"))
            .isEqualTo("[+]ping ok\n[+]device-plugin ok\nhealthz check passed\n");
        assertThat(page("/configz"))
            .contains(
                "\"kubeletconfig\"",
                "\"staticPodPath\" : \"" + dir.resolve("manifests") + "\"",
                "\"KubeletPodResourcesGet\" : true");
        assertThat(page("/metrics"))
            .contains(
                "kubelet_device_plugin_registration_total{resource_name=\"a.b/toy\"} 1\n",
                "kubelet_device_plugin_alloc_duration_seconds_count{resource_name=\"a.b/toy\"} 1\n",
                "kubelet_pod_resources_endpoint_requests_get{server_api_version=\"v1\"} 1\n")
            .containsPattern("endpoint_requests_get_allocatable\\{[^}]*} [1-9]");
      }
    }
  }

  @Test
  void itsHealthSaysWhetherPluginsCanRegister() throws Exception {
    try (var _ =
        JavaProcess.start(
            Patchbay.class.getName(),
            "kubelet",
            "--dir",
            dir.toString(),
            "--runtime",
            "/nonexistent",
            "--http",
            "127.0.0.1:" + port)) {
      Path plugins = dir.resolve("device-plugins");
      Awaitility.await().atMost(SOON).until(() -> Files.exists(plugins.resolve("kubelet.sock")));
      Awaitility.await().atMost(SOON).ignoreExceptions().until(() -> page("/healthz").equals("ok"));

      Files.move(plugins, dir.resolve("away"));

      HttpResponse<String> failing = answer("/healthz");
      assertThat(failing.statusCode()).isEqualTo(500);
      assertThat(failing.body())
          .isEqualTo(
              """
              [+]ping ok
              [-]device-plugin failed: device registration error: device plugin registration gRPC server failed and no device plugins can register: %s was removed, or another file is in its place
              healthz check failed
              """
                  .formatted(plugins.resolve("kubelet.sock")));
      assertThat(answer("/healthz/device-plugin").statusCode()).isEqualTo(500);
      assertThat(answer("/healthz/ping").statusCode()).isEqualTo(200);

      Files.move(dir.resolve("away"), plugins);

      assertThat(answer("/healthz").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aConfiguredKubeletAlignsDevicesOnTheMachineItIsShown() throws Exception {
    Path machine = Files.writeString(dir.resolve("machine.tree"), TWO_NODES);
    Path config =
        Files.writeString(
            dir.resolve("kubelet.yaml"),
            """
            apiVersion: kubelet.config.k8s.io/v1beta1
            kind: KubeletConfiguration
            cgroupDriver: systemd
            topologyManagerPolicy: best-effort
            cpuManagerPolicy: static
            reservedSystemCPUs: "0"
            memoryManagerPolicy: Static
            reservedMemory: [{numaNode: 1, limits: {memory: 100Mi}}]
            """);
    try (var _ =
        kubelet(
            "--config",
            config.toString(),
            "--host-root",
            machine.toString(),
            "--topology-manager-policy",
            "single-numa-node",
            "--kubernetes-minor",
            "1.35",
            "--quirks",
            "pod-resources-repeats-cdi-devices")) {
      Awaitility.await()
          .atMost(SOON)
          .until(() -> Files.exists(dir.resolve("device-plugins/kubelet.sock")));
      try (var plugin =
          ScriptedPlugin.serve(dir, TOY, "toy.sock", DevicePluginOptions.getDefaultInstance())) {
        plugin.list(ToysOnTwoNodes.list());
        plugin.register();
        Awaitility.await().atMost(SOON).until(() -> allocatable().size() == 3);

        Files.writeString(dir.resolve("manifests/wide.yaml"), pod("wide", 3));
        Awaitility.await()
            .atMost(SOON)
            .until(() ->
                Files.readString(dir.resolve("state.json")).contains("TopologyAffinityError"));
        Files.writeString(dir.resolve("manifests/narrow.yaml"), pod("narrow", 2));
        Awaitility.await().atMost(SOON).until(() -> held("narrow").equals(List.of("t1", "t2")));
        assertThat(page("/configz"))
            .contains(
                "\"topologyManagerPolicy\" : \"single-numa-node\"",
                "\"cpuManagerPolicy\" : \"static\"",
                "\"reservedSystemCPUs\" : \"0\"",
                "\"memoryManagerPolicy\" : \"Static\"",
                "\"memory\" : 104857600",
                "\"ResourceHealthStatus\" : false",
                "\"maxPods\" : 110",
                "\"minor\" : \"1.35\"",
                "\"pod-resources-repeats-cdi-devices\"",
                "\"cpu\" : 3000");
        assertThat(dir.resolve("cpu_manager_state")).isRegularFile();
        assertThat(dir.resolve("memory_manager_state")).isRegularFile();
      }
    }
  }

  private static final String TWO_NODES =
      """
      # tree 1; composed; two nodes with two CPUs each
      file  proc/meminfo
      | MemTotal:       2097152 kB
      """
          + node(0)
          + node(1);

  private static String node(int id) {
    return """
    file  sys/devices/system/node/node%1$d/cpulist
    | %2$d-%3$d
    file  sys/devices/system/node/node%1$d/meminfo
    | Node %1$d MemTotal:       1048576 kB
    file  sys/devices/system/node/node%1$d/distance
    | 10 20
    file  sys/devices/system/cpu/cpu%2$d/topology/core_id
    | 0
    file  sys/devices/system/cpu/cpu%2$d/topology/physical_package_id
    | %1$d
    file  sys/devices/system/cpu/cpu%3$d/topology/core_id
    | 1
    file  sys/devices/system/cpu/cpu%3$d/topology/physical_package_id
    | %1$d
    """
        .formatted(id, 2 * id, 2 * id + 1);
  }

  private static String pod(String name, int count) {
    return """
    apiVersion: v1
    kind: Pod
    metadata: {name: %s}
    spec:
      containers: [{name: main, image: x, resources: {limits: {%s: %d}}}]
    """
        .formatted(name, TOY, count);
  }

  private List<String> allocatable() throws IOException {
    try {
      return ids(
          stub()
              .getAllocatableResources(AllocatableResourcesRequest.getDefaultInstance())
              .getDevicesList());
    } catch (StatusRuntimeException e) {
      return List.of(); // not there yet
    }
  }

  private List<PodResources> listed(String name) throws IOException {
    return stub().list(ListPodResourcesRequest.getDefaultInstance()).getPodResourcesList().stream()
        .filter(pod -> pod.getName().equals(name))
        .toList();
  }

  private List<String> held(String name) throws IOException {
    return listed(name).stream()
        .flatMap(pod -> pod.getContainersList().stream())
        .flatMap(container -> ids(container.getDevicesList()).stream())
        .toList();
  }

  private static List<String> ids(List<ContainerDevices> devices) {
    return devices.stream()
        .filter(entry -> entry.getResourceName().equals(TOY))
        .flatMap(entry -> entry.getDeviceIdsList().stream())
        .toList();
  }

  private PodResourcesListerBlockingStub stub() throws IOException {
    return PodResourcesListerGrpc.newBlockingStub(
            transport.connect(dir.resolve("pod-resources/kubelet.sock")).grpc())
        .withDeadlineAfter(10, TimeUnit.SECONDS);
  }

  private String page(String path) throws IOException, InterruptedException {
    return answer(path).body();
  }

  private HttpResponse<String> answer(String path) throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
      return http.send(request, HttpResponse.BodyHandlers.ofString());
    }
  }
}
