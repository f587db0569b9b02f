package dev.patchbay.interop;

import static dev.patchbay.interop.RealNode.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// The embedded kubelet as a second node of a cluster, beside the real one: the ordinary scheduler,
/// controllers and kubectl see no difference.
@Timeout(300)
@ExtendWith(NamesLogs.class)
@Tag("cluster")
final class SecondNodeTest {
  private static final String TOY = "a.b/toy";

  private RealCluster cluster;
  private Daemon kubelet;

  @BeforeEach
  void startCluster(TestInfo test) throws Exception {
    cluster = RealCluster.start(test.getTestMethod().orElseThrow().getName());
    for (int i = 0; i < 3; i++) cluster.plug("toy" + i, i);
    kubelet = cluster.startEmbeddedKubelet();
    Path config =
        Files.writeString(
            cluster.dir().resolve("second.yaml"),
            """
            {version: 1, drivers: {device-node: {domain: a.b, devices: [{name: toy, groups:
              [{paths: [{path: "%s/toy*", mount-path: /dev/, permissions: rw}]}]}]}}}
            """
                .formatted(cluster.devices()));
    cluster.startSecondAgent(config);
    await("three devices at the second node")
        .until(() ->
            node().at("/status/allocatable").path(TOY).asInt() == 3
                && node().at("/status/capacity").path(TOY).asInt() == 3);
  }

  @AfterEach
  void endCluster() throws Exception {
    cluster.end();
  }

  private JsonNode node() throws IOException, InterruptedException {
    return cluster.get("node", RealCluster.SECOND_NODE);
  }

  private JsonNode pod(String name) throws IOException, InterruptedException {
    return cluster.get("pod", name);
  }

  private void apply(String yaml) throws Exception {
    Path file = Files.writeString(cluster.dir().resolve("objects.yaml"), yaml);
    cluster.kubectl("apply", "-f", file.toString());
  }

  /// A pod that wants devices and says which it can open.
  private static String podYaml(String name, String spec, int count) {
    return """
    apiVersion: v1
    kind: Pod
    metadata: {name: %s, namespace: default}
    spec: {%s
      terminationGracePeriodSeconds: 3, automountServiceAccountToken: false,
      containers: [{name: main, image: busybox, command: [sh, -c, "ls /dev/toy*; trap 'exit 0' TERM; while :; do sleep 0.1; done"],
        resources: {limits: {%s: %d}}}]}
    """
        .formatted(name, spec, TOY, count);
  }

  private JsonNode awaitPod(String name, String pointer, String value) {
    return await(name + " with " + value + " at " + pointer + "; " + kubelet.log())
        .ignoreExceptions()
        .until(() -> pod(name), it -> it.at(pointer).asText().equals(value));
  }

  private String output(JsonNode pod) throws IOException {
    return Files.readString(
        cluster
            .secondDir()
            .resolve("pods")
            .resolve(pod.at("/metadata/uid").asText())
            .resolve("main/log"));
  }

  private List<String> events(String pod) throws Exception {
    return Json.list(
            cluster.get("events", "--field-selector=involvedObject.name=" + pod).path("items"))
        .map(it -> it.path("type").asText() + " " + it.path("reason").asText())
        .toList();
  }

  @Test
  void theSchedulerPlacesAPodThatAsksForTwoDevicesOnTheNodeThatHasThem() throws Exception {
    apply(podYaml("two", "", 2));

    JsonNode pod = awaitPod("two", "/status/phase", "Running");

    assertThat(pod.at("/spec/nodeName").asText()).isEqualTo(RealCluster.SECOND_NODE);
    await("its output").until(() -> output(pod).lines().count() == 2);
    assertThat(output(pod).lines()).containsExactly("/dev/toy0", "/dev/toy1");
    JsonNode health = pod.at("/status/containerStatuses/0/allocatedResourcesStatus/0");
    assertThat(health.path("name").asText()).isEqualTo(TOY);
    assertThat(Json.list(health.path("resources")))
        .hasSize(2)
        .allSatisfy(it -> assertThat(it.path("health").asText()).isEqualTo("Healthy"));
    await("what its owner sees")
        .untilAsserted(
            () -> assertThat(events("two")).contains("Normal Created", "Normal Started"));
    apply(podYaml("two-more", "", 2));
    JsonNode waiting = awaitPod("two-more", "/status/conditions/0/reason", "Unschedulable");
    assertThat(waiting.at("/status/conditions/0/message").asText()).contains("Insufficient " + TOY);

    cluster.kubectl("delete", "pod", "two", "--timeout=1m");

    awaitPod("two-more", "/status/phase", "Running");
    assertThat(events("two")).contains("Normal Killing");
  }

  @Test
  void aPodThatIsBoundButDoesNotFitFailsInUpstreamsWords() throws Exception {
    apply(podYaml("many", "nodeName: second,", 4));

    JsonNode pod = awaitPod("many", "/status/phase", "Failed");

    assertThat(pod.at("/status/reason").asText()).isEqualTo("UnexpectedAdmissionError");
    assertThat(pod.at("/status/message").asText())
        .isEqualTo(
            "Pod was rejected: Allocate failed due to requested number of devices unavailable for a.b/toy. Requested: 4, Available: 3, which is unexpected");
    await("its event").until(() -> events("many").contains("Warning UnexpectedAdmissionError"));
    cluster.kubectl("delete", "pod", "many", "--timeout=1m");
  }

  @Test
  void aDeploymentRunsOnOverAKilledKubelet() throws Exception {
    apply(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: demo, namespace: default}
        spec:
          replicas: 3
          selector: {matchLabels: {app: demo}}
          template:
            metadata: {labels: {app: demo}}
            spec:
              terminationGracePeriodSeconds: 1
              containers: [{name: main, image: busybox, command: [sleep, "2000000000"], resources: {limits: {a.b/toy: 1}}}]
        """);
    cluster.kubectl("rollout", "status", "deployment/demo", "--timeout=1m");
    List<JsonNode> before = cluster.pods("default", "app=demo");

    kubelet.kill();
    kubelet = cluster.startEmbeddedKubelet();
    apply(podYaml("next", "nodeName: second,", 1));
    awaitPod("next", "/status/phase", "Failed");

    assertThat(cluster.pods("default", "app=demo"))
        .hasSameSizeAs(before)
        .allSatisfy(now ->
            assertThat(before)
                .anySatisfy(then -> assertThat(container(now)).isEqualTo(container(then))));

    cluster.kubectl("scale", "deployment/demo", "--replicas=0");
    await("no pod of it").until(() -> cluster.pods("default", "app=demo").isEmpty());
  }

  /// Its id and how often it was started.
  private static String container(JsonNode pod) {
    JsonNode status = pod.at("/status/containerStatuses/0");
    return status.path("containerID").asText() + " " + status.path("restartCount").asInt();
  }

  @Test
  void aNodeObjectThatSomebodyDeletesIsMadeAgain() throws Exception {
    String uid = node().at("/metadata/uid").asText();

    cluster.kubectl("delete", "node", RealCluster.SECOND_NODE);

    await("another object with its devices")
        .ignoreExceptions()
        .until(() ->
            !node().at("/metadata/uid").asText().equals(uid)
                && node().at("/status/allocatable").path(TOY).asInt() == 3);
  }
}
