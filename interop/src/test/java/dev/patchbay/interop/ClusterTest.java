package dev.patchbay.interop;

import static dev.patchbay.interop.RealNode.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// The agent as a pod of the chart's DaemonSet, in a cluster in which nothing is ours but the
/// agent, its image and its chart.
@Timeout(300)
@ExtendWith(NamesLogs.class)
@Tag("cluster")
final class ClusterTest {
  private static final String TOY = "a.b/toy";
  private static final String AGENTS = "app.kubernetes.io/instance=patchbay";

  private RealCluster cluster;

  @BeforeEach
  void startCluster(TestInfo test) throws Exception {
    cluster = RealCluster.start(test.getTestMethod().orElseThrow().getName());
    cluster.importImage(Path.of(PrivatePlace.property("patchbay.image")));
    cluster.plug("toy0", 0);
    cluster.plug("toy1", 1);
  }

  @AfterEach
  void endCluster() throws Exception {
    cluster.end();
  }

  private String toys(String name) {
    return """
      {version: 1, drivers: {device-node: {domain: a.b, devices: [{name: %s, groups:
        [{paths: [{path: "%s/toy*", mount-path: /dev/, permissions: rw}]}]}]}}}
    """
        .formatted(name, cluster.devices());
  }

  /// Installs or upgrades the release, and waits until its agents are ready.
  private void deploy(String command, String values) throws Exception {
    Path file = Files.writeString(cluster.dir().resolve("values.yaml"), values);
    cluster.helm(
        command,
        "patchbay",
        Deployed.CHART.toString(),
        "--namespace=patchbay",
        "--create-namespace",
        "--values=" + file,
        "--wait",
        "--timeout=2m");
  }

  private void install() throws Exception {
    deploy("install", "config: " + toys("toy"));
    awaitAllocatable(TOY, 2);
  }

  private void awaitAllocatable(String resource, int count) {
    await(count + " of " + resource)
        .untilAsserted(() -> assertThat(cluster.allocatable(resource)).isEqualTo(count));
  }

  private void apply(Workload workload) throws Exception {
    Path file = Files.writeString(cluster.dir().resolve("workload.yaml"), workload.yaml());
    cluster.kubectl("apply", "-f", file.toString());
  }

  /// The pods of a workload whose containers have tried all nodes, as the API server knows them.
  private List<JsonNode> awaitTried(Workload workload, int count) {
    return await(count + " pods of " + workload.name())
        .until(
            () -> {
              List<JsonNode> tried = new ArrayList<>();
              for (JsonNode pod : cluster.pods("default", workload.label()))
                if (!container(pod).isEmpty() && cluster.log(pod).contains(StaticPod.TRIED))
                  tried.add(pod);
              return tried;
            },
            it -> it.size() == count);
  }

  private Set<String> opened(List<JsonNode> pods) throws IOException {
    Set<String> nodes = new TreeSet<>();
    for (JsonNode pod : pods)
      assertThat(opened(pod)).hasSize(1).allSatisfy(it -> assertThat(nodes.add(it)).isTrue());
    return nodes;
  }

  private List<String> opened(JsonNode pod) throws IOException {
    return cluster
        .log(pod)
        .lines()
        .map(it -> it.split(" ", 4)[3])
        .filter(it -> it.startsWith("opens "))
        .map(it -> it.substring("opens ".length()))
        .toList();
  }

  private static String uid(JsonNode pod) {
    return pod.at("/metadata/uid").asText();
  }

  private static String container(JsonNode pod) {
    return pod.at("/status/containerStatuses/0/containerID").asText();
  }

  private JsonNode agent() throws Exception {
    // One that ends may still be there beside its successor.
    List<JsonNode> pods =
        cluster.pods("patchbay", AGENTS).stream()
            .filter(it -> !it.path("metadata").has("deletionTimestamp"))
            .toList();
    assertThat(pods).hasSize(1);
    return pods.getFirst();
  }

  private void assertUntouched(Workload workload, JsonNode before) throws Exception {
    JsonNode now =
        cluster.pods("default", workload.label()).stream()
            .filter(it -> uid(it).equals(uid(before)))
            .findFirst()
            .orElseThrow();
    assertThat(now.at("/status/phase").asText()).isEqualTo("Running");
    assertThat(container(now)).isEqualTo(container(before));
  }

  @Test
  void anUnprivilegedAgentGivesADeploymentItsDevicesAndTheReplicaThatDoesNotFitWaits()
      throws Exception {
    install();
    var demo = new Workload("demo", TOY, 3);
    apply(demo);

    List<JsonNode> pods = awaitTried(demo, 2);
    assertThat(opened(pods)).containsExactly("/dev/toy0", "/dev/toy1");
    for (JsonNode pod : pods)
      assertThat(cluster.log(pod)).contains("can't open /dev/other: Operation not permitted");
    JsonNode waiting =
        cluster.pods("default", demo.label()).stream()
            .filter(it -> pods.stream().noneMatch(pod -> uid(pod).equals(uid(it))))
            .findFirst()
            .orElseThrow();
    assertThat(waiting.at("/status/phase").asText()).isEqualTo("Pending");
    assertThat(waiting.at("/status/conditions/0/message").asText()).contains("Insufficient " + TOY);

    // What the kernel says of the agent.
    String status =
        Files.readString(Path.of("/proc", String.valueOf(agentProcess().pid()), "status"));
    for (String none : List.of("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"))
      assertThat(status).containsPattern(none + ":\t0+\n");
    assertThat(status).contains("NoNewPrivs:\t1\n").contains("Seccomp:\t2\n");
  }

  private ProcessHandle agentProcess() throws Exception {
    String id = container(agent()).replace("containerd://", "");
    List<ProcessHandle> agents =
        ProcessHandle.allProcesses().filter(it -> isIn(it.pid(), id)).toList();
    assertThat(agents).hasSize(1);
    return agents.getFirst();
  }

  private static boolean isIn(long pid, String container) {
    try {
      return Files.readString(Path.of("/proc", String.valueOf(pid), "cgroup")).contains(container);
    } catch (IOException e) {
      // It has ended meanwhile.
      return false;
    }
  }

  @Test
  void aRunningAgentTakesAChangedConfigMapAndLeavesPodsAlone() throws Exception {
    install();
    var demo = new Workload("demo", TOY, 1);
    apply(demo);
    JsonNode pod = awaitTried(demo, 1).getFirst();
    JsonNode agent = agent();

    deploy(
        "upgrade",
        "config: "
            + toys("toy")
                .replace(
                    "devices: [",
                    "devices: [{name: car, groups: [{paths: [{path: \"%s/car*\"}]}]}, "
                        .formatted(cluster.devices())));
    cluster.plug("car0", 3);
    awaitAllocatable("a.b/car", 1);
    assertThat(uid(agent())).isEqualTo(uid(agent));
    assertThat(agent().at("/status/containerStatuses/0/restartCount").asInt()).isZero();
    assertUntouched(demo, pod);

    // A wrong one is not taken, and the agent says why.
    cluster.kubectl(
        "patch",
        "configmap",
        "patchbay",
        "--namespace=patchbay",
        "--type=merge",
        "--patch={\"data\": {\"patchbay.yaml\": \"version: 1\\ndrivers: {nonsense: {}}\\n\"}}");
    await("the agent's refusal").until(() -> cluster.log(agent()).contains("nonsense"));
    cluster.plug("car1", 4);
    awaitAllocatable("a.b/car", 2);
    assertThat(cluster.allocatable(TOY)).isEqualTo(2);
  }

  @Test
  void podsKeepTheirDevicesThroughRollingUpdateAndRollback() throws Exception {
    install();
    var demo = new Workload("demo", TOY, 1);
    apply(demo);
    JsonNode first = awaitTried(demo, 1).getFirst();
    String agent = uid(agent());

    deploy("upgrade", "config: " + toys("toy") + "podAnnotations: {round: two}\n");
    await("the new agent").untilAsserted(() -> assertThat(uid(agent())).isNotEqualTo(agent));
    String second = uid(agent());
    awaitAllocatable(TOY, 2);
    assertUntouched(demo, first);
    apply(new Workload("demo", TOY, 2));
    assertThat(opened(awaitTried(demo, 2))).containsExactly("/dev/toy0", "/dev/toy1");

    cluster.helm("rollback", "patchbay", "1", "--namespace=patchbay", "--wait", "--timeout=2m");
    await("the agent of before").untilAsserted(() -> assertThat(uid(agent())).isNotEqualTo(second));
    awaitAllocatable(TOY, 2);
    assertUntouched(demo, first);
    assertThat(awaitTried(demo, 2)).hasSize(2);
  }

  @Test
  void aKilledAgentComesBackAndPodsKeepTheirDevices() throws Exception {
    install();
    var demo = new Workload("demo", TOY, 1);
    apply(demo);
    JsonNode pod = awaitTried(demo, 1).getFirst();

    agentProcess().destroyForcibly();
    await("the restarted container")
        .until(() -> agent().at("/status/containerStatuses/0/restartCount").asInt() == 1);
    awaitAllocatable(TOY, 2);
    cluster.restartKubelet();
    apply(new Workload("demo", TOY, 2));
    assertThat(opened(awaitTried(demo, 2))).containsExactly("/dev/toy0", "/dev/toy1");
    assertUntouched(demo, pod);
  }

  @Test
  void aNodeRunsTheAgentOfTheGroupThatItsLabelNames() throws Exception {
    deploy(
        "install",
        "config: " + toys("toy") + "nodeGroups:\n- name: desk\n  config: " + toys("desk"));
    awaitAllocatable(TOY, 2);

    cluster.kubectl("label", "node", RealCluster.NODE, "patchbay.dev/node-group=desk");
    awaitAllocatable("a.b/desk", 2);
    awaitAllocatable(TOY, 0);
    await("one agent").until(() -> cluster.pods("patchbay", AGENTS).size() == 1);

    cluster.kubectl("label", "node", RealCluster.NODE, "patchbay.dev/node-group-");
    awaitAllocatable(TOY, 2);
    awaitAllocatable("a.b/desk", 0);
  }

  @Test
  void helmTestsThatAPodGetsADevice() throws Exception {
    deploy("install", "test: {resource: devices.kubevirt.io/fuse, path: /dev/fuse}");

    assertThat(cluster.helm("test", "patchbay", "--namespace=patchbay", "--timeout=1m"))
        .contains("Phase:          Succeeded");
  }

  @Test
  void nothingStaysOnTheNodeAfterUninstalling() throws Exception {
    install();
    var demo = new Workload("demo", TOY, 1);
    apply(demo);
    JsonNode pod = awaitTried(demo, 1).getFirst();
    assertThat(sockets()).hasSize(2);

    cluster.helm("uninstall", "patchbay", "--namespace=patchbay", "--wait", "--timeout=1m");
    await("the agent to be gone").until(() -> cluster.pods("patchbay", AGENTS).isEmpty());
    awaitAllocatable(TOY, 0);
    assertThat(sockets()).containsExactly("kubelet.sock");
    assertThat(
            cluster
                .kubectl(
                    "get", "all,configmaps,serviceaccounts", "--namespace=patchbay", "-o", "name")
                .lines())
        .containsExactlyInAnyOrder("configmap/kube-root-ca.crt", "serviceaccount/default");
    assertUntouched(demo, pod);
  }

  private Set<String> sockets() throws IOException {
    try (Stream<Path> files = Files.list(cluster.kubeletDir().resolve("device-plugins"))) {
      return files
          .map(it -> it.getFileName().toString())
          .filter(it -> it.endsWith(".sock"))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  @Test
  void theKustomizeBaseDeploysTheSame() throws Exception {
    String folder = Deployed.CHART.resolve("../../kustomize/base").normalize().toString();
    cluster.kubectl("apply", "-k", folder);
    cluster.kubectl(
        "rollout", "status", "daemonset/patchbay", "--namespace=patchbay", "--timeout=1m");
    assertThat(cluster.get("node", RealCluster.NODE).at("/status/allocatable").toString())
        .contains("\"devices.kubevirt.io/fuse\":\"1k\"");

    cluster.kubectl("delete", "-k", folder, "--timeout=1m");
    await("no socket").until(() -> sockets().equals(Set.of("kubelet.sock")));
  }
}
