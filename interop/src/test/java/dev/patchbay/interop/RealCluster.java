package dev.patchbay.interop;

import static dev.patchbay.interop.RealNode.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// A cluster of one node and real parts: etcd, API server, scheduler, controller manager,
/// containerd and kubelet, in a private place with a network of its own.
final class RealCluster {
  /// The name of its node.
  static final String NODE = "interop";

  /// The name of the node whose kubelet is the embedded one, where there is one.
  static final String SECOND_NODE = "second";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final PrivatePlace place;
  private Daemon kubelet;

  private RealCluster(PrivatePlace place, Daemon kubelet) {
    this.place = place;
    this.kubelet = kubelet;
  }

  /// Starts all of it and waits until the node is ready.
  static RealCluster start(String name) throws IOException, InterruptedException {
    PrivatePlace place = PrivatePlace.openWithNetwork(name);
    try {
      ControlPlane.start(place);
      ContainerRuntime.start(place);
      // Watch and a short period: a changed ConfigMap reaches its volumes within seconds.
      KubeletFile.write(
          place,
          """
          nodeStatusUpdateFrequency: 1s
          syncFrequency: 2s
          configMapAndSecretChangeDetectionStrategy: Watch
          clusterDNS: [%s]
          """
              .formatted(ControlPlane.NODE_ADDRESS));
      var cluster = new RealCluster(place, startKubelet(place));
      cluster.awaitReady();
      return cluster;
    } catch (IOException | InterruptedException | RuntimeException e) {
      place.end();
      throw e;
    }
  }

  private static Daemon startKubelet(PrivatePlace place) throws IOException {
    return place.start(
        "kubelet",
        PrivatePlace.part("kubelet"),
        "--config",
        KubeletFile.of(place).toString(),
        "--kubeconfig",
        ControlPlane.kubeconfig(place).toString(),
        "--hostname-override",
        NODE,
        "--node-ip",
        ControlPlane.NODE_ADDRESS);
  }

  private void awaitReady() {
    awaitReady(NODE, kubelet);
  }

  private void awaitReady(String node, Daemon its) {
    await("the node " + node + " to be ready; " + its.log())
        .ignoreExceptions()
        .until(() ->
            Json.list(get("node", node).at("/status/conditions"))
                .anyMatch(it ->
                    it.path("type").asText().equals("Ready")
                        && it.path("status").asText().equals("True")));
  }

  /// Starts the embedded kubelet as it is shipped, as another node of the cluster, and waits until
  /// that is ready, too.
  Daemon startEmbeddedKubelet() throws IOException {
    Daemon second =
        place.start(
            "second-kubelet",
            patchbay(),
            "kubelet",
            "--dir=" + secondDir(),
            "--kubeconfig=" + ControlPlane.kubeconfig(place),
            "--node-name=" + SECOND_NODE,
            "--node-ip=" + ControlPlane.NODE_ADDRESS);
    awaitReady(SECOND_NODE, second);
    return second;
  }

  /// Starts the agent as it is shipped for the embedded kubelet.
  Daemon startSecondAgent(Path config) throws IOException {
    return place.start(
        "second-agent", patchbay(), "agent", "--config=" + config, "--kubelet-dir=" + secondDir());
  }

  private static String patchbay() {
    return PrivatePlace.property("patchbay.home") + "/bin/patchbay";
  }

  /// The embedded kubelet's directory; `interop/node` knows its containers by it.
  Path secondDir() {
    return place.dir().resolve("second");
  }

  /// Kills the kubelet and starts another.
  void restartKubelet() throws Exception {
    kubelet.kill();
    kubelet = startKubelet(place);
  }

  /// The directory of the place, the same on both sides.
  Path dir() {
    return place.dir();
  }

  /// The kubelet's directory, as seen from outside.
  Path kubeletDir() {
    return place.dir().resolve("lib/kubelet");
  }

  /// The directory with this test's own device nodes.
  Path devices() {
    return place.dir().resolve("dev");
  }

  /// Makes a node of the loop device of this number.
  void plug(String name, int loop) throws IOException, InterruptedException {
    Files.createDirectories(devices());
    place.run("mknod", devices().resolve(name).toString(), "b", "7", String.valueOf(loop));
  }

  /// Makes an image of this archive known to the node.
  void importImage(Path archive) throws IOException, InterruptedException {
    ContainerRuntime.importImage(place, archive);
  }

  /// Runs kubectl to its end.
  String kubectl(String... arguments) throws IOException, InterruptedException {
    return client("kubectl", arguments);
  }

  /// Runs helm to its end.
  String helm(String... arguments) throws IOException, InterruptedException {
    return client("helm", arguments);
  }

  private String client(String program, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.addAll(
        List.of(PrivatePlace.part(program), "--kubeconfig=" + ControlPlane.kubeconfig(place)));
    command.addAll(List.of(arguments));
    return place.run(command.toArray(String[]::new));
  }

  /// What `kubectl get … -o json` answers.
  JsonNode get(String... arguments) throws IOException, InterruptedException {
    return JSON.readTree(
        kubectl(
            Stream.concat(
                    Stream.of("get"), Stream.concat(Stream.of(arguments), Stream.of("-o", "json")))
                .toArray(String[]::new)));
  }

  /// How many of a resource the API server says can be allocated on the node.
  int allocatable(String resource) throws IOException, InterruptedException {
    return get("node", NODE).path("status").path("allocatable").path(resource).asInt(0);
  }

  /// The pods with this label.
  List<JsonNode> pods(String namespace, String label) throws IOException, InterruptedException {
    return Json.list(get("pods", "-n", namespace, "-l", label).path("items")).toList();
  }

  /// What the pod's first container wrote in its current life.
  String log(JsonNode pod) throws IOException {
    JsonNode meta = pod.path("metadata");
    String container = pod.at("/spec/containers/0/name").asText();
    int life = pod.at("/status/containerStatuses/0/restartCount").asInt();
    Path log =
        place
            .dir()
            .resolve("log/pods")
            .resolve(
                "%s_%s_%s"
                    .formatted(
                        meta.path("namespace").asText(),
                        meta.path("name").asText(),
                        meta.path("uid").asText()))
            .resolve(container)
            .resolve(life + ".log");
    return Files.exists(log) ? Files.readString(log) : "";
  }

  /// Runs a program in the node's namespaces.
  String run(String... command) throws IOException, InterruptedException {
    return place.run(command);
  }

  /// Ends all of it; nothing is left but the logs.
  void end() throws IOException, InterruptedException {
    place.end();
  }
}
