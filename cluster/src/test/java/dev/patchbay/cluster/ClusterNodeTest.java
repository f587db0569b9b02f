package dev.patchbay.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.patchbay.node.NodeConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The node and an API server over HTTP. There is no container runtime: what becomes of containers
/// is a matter of module `node`.
@Timeout(120)
final class ClusterNodeTest {
  private static final String NODE = "/api/v1/nodes/one";
  private static final String LEASE =
      "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/one";
  private static final String PODS = "/api/v1/namespaces/default/pods/";
  private static final SortedMap<String, Long> CAPACITY =
      new TreeMap<>(Map.of("cpu", 4000L, "memory", 4L << 30, "pods", 5L));

  private ScriptedApiServer server;
  private Path dir;
  private ClusterNode node;

  @BeforeEach
  void start() throws Exception {
    server = new ScriptedApiServer();
    dir = Files.createTempDirectory(Path.of("/tmp"), "pb");
    Files.writeString(dir.resolve("kubeconfig"), server.kubeconfig());
    node = newNode();
  }

  private ClusterNode newNode() throws Exception {
    ClusterConfig config =
        ClusterConfig.of(dir.resolve("kubeconfig"), "one", "v1.36.0+test", CAPACITY)
            .with(
                Optional.of("192.0.2.1"),
                Map.of("zone", "a"),
                List.of(NodeTaint.of("only=devices:NoSchedule")))
            .withPeriods(Duration.ofMillis(100), Duration.ofMinutes(5), Duration.ofMillis(100));
    SortedMap<String, Long> allocatable = new TreeMap<>(CAPACITY);
    allocatable.put("memory", 3L << 30);
    NodeConfig directory = NodeConfig.of(dir.resolve("k"));
    return ClusterNode.start(
        config,
        directory.withKubelet(directory.kubelet().withNodeAllocatable(allocatable)),
        Optional.of("/no/runtime"));
  }

  @AfterEach
  void stop() throws Exception {
    node.close();
    server.close();
    try (var files = Files.walk(dir)) {
      for (Path path : files.sorted(java.util.Comparator.reverseOrder()).toList())
        Files.deleteIfExists(path);
    }
  }

  private static ConditionFactory await(String what) {
    return Awaitility.await(what).atMost(Duration.ofSeconds(60));
  }

  private void pod(String name, String spec) throws IOException {
    server.put(
        PODS + name,
        """
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s", "namespace": "default", "uid": "uid-%s"},
         "spec": {"nodeName": "one", %s}}
        """
            .formatted(name, name, spec));
  }

  private static String container(String more) {
    return """
    "containers": [{"name": "main", "image": "i" %s}]
    """
        .formatted(more);
  }

  private JsonNode awaitPod(String name, String pointer, String value) {
    return await(name + " has " + value + " at " + pointer)
        .until(() -> server.get(PODS + name), pod -> pod.at(pointer).asText().equals(value));
  }

  @Test
  void aNodeRegistersAndReportsWhatItIs() {
    JsonNode object =
        await("the node's object")
            .until(() -> server.get(NODE), it -> it.at("/status/conditions").size() == 4);

    assertThat(object.at("/metadata/labels/kubernetes.io~1hostname").asText()).isEqualTo("one");
    assertThat(object.at("/metadata/labels/kubernetes.io~1os").asText()).isEqualTo("linux");
    assertThat(object.at("/metadata/labels/zone").asText()).isEqualTo("a");
    assertThat(object.at("/spec/taints/0").toString())
        .contains("\"key\":\"only\"", "\"value\":\"devices\"", "\"effect\":\"NoSchedule\"");
    assertThat(object.at("/status/capacity/pods").asText()).isEqualTo("5");
    assertThat(object.at("/status/capacity/memory").asLong()).isEqualTo(4L << 30);
    assertThat(object.at("/status/allocatable/memory").asLong())
        .as("without what is reserved")
        .isEqualTo(3L << 30);
    assertThat(object.at("/status/addresses/0/address").asText()).isEqualTo("192.0.2.1");
    assertThat(object.at("/status/nodeInfo/kubeletVersion").asText()).isEqualTo("v1.36.0+test");
    assertThat(object.at("/status/conditions/3/reason").asText())
        .as("there is no runtime")
        .isEqualTo("KubeletNotReady");
  }

  @Test
  void theLeaseIsRenewedAndBelongsToTheNode() {
    JsonNode first =
        await("a lease with its owner")
            .until(() -> server.get(LEASE), it -> it.at("/metadata/ownerReferences").size() == 1);
    JsonNode object = server.get(NODE);

    assertThat(first.at("/metadata/ownerReferences/0/uid")).isEqualTo(object.at("/metadata/uid"));
    await("a later renewal")
        .until(() -> !server.get(LEASE).at("/spec/renewTime").equals(first.at("/spec/renewTime")));
  }

  @Test
  void aLeaseIsReadOnceAndThenOnlyAfterSomebodyElseChangedIt() throws Exception {
    awaitRenewals(5);
    assertThat(leaseReads()).isEqualTo(1);

    server.put(LEASE, server.get(LEASE).toString()); // has another version now
    int before = renewals();
    awaitRenewals(before + 5);

    assertThat(leaseReads()).isEqualTo(2);
    server.delete(LEASE);
    await("another lease").until(() -> !server.get(LEASE).isMissingNode());
  }

  private void awaitRenewals(int count) {
    await(count + " renewals").until(() -> renewals() >= count);
  }

  private int renewals() {
    return count("PUT " + LEASE);
  }

  private int leaseReads() {
    return count("GET " + LEASE);
  }

  private int count(String request) {
    return (int) server.requests().stream().filter(it -> it.startsWith(request)).count();
  }

  @Test
  void aStatusThatStaysTheSameIsWrittenOnceInItsPeriod() {
    await("many looks").until(() -> count("GET " + NODE) > 10);

    assertThat(count("PATCH " + NODE + "/status")).isBetween(1, 2);
  }

  @Test
  void aNewNodeTellsThatItHasEnoughOfEverything() {
    assertThat(awaitNews("NodeHasSufficientPID"))
        .contains(
            "Starting: Starting kubelet.",
            "NodeHasSufficientMemory: Node one status is now: NodeHasSufficientMemory",
            "NodeHasNoDiskPressure: Node one status is now: NodeHasNoDiskPressure",
            "NodeHasSufficientPID: Node one status is now: NodeHasSufficientPID")
        .noneMatch(it -> it.startsWith("NodeReady") || it.startsWith("Rebooted"));
  }

  @Test
  void whatBecomesOfANodeIsTold() throws Exception {
    awaitNews("NodeHasSufficientPID");
    var object = (ObjectNode) server.get(NODE);
    ((ObjectNode) object.at("/status/conditions/3")).put("status", "Unknown");
    object.withObject("/status/nodeInfo").put("bootID", "of an earlier boot");
    object.withObject("/spec").put("unschedulable", true);
    node.close();
    server.put(NODE, object.toString());

    node = newNode();

    assertThat(awaitNews("NodeNotSchedulable"))
        .contains(
            "NodeNotReady: Node one status is now: NodeNotReady",
            "NodeNotSchedulable: Node one status is now: NodeNotSchedulable")
        .anyMatch(it -> it.startsWith("Rebooted: Node one has been rebooted, boot id: "));

    object = (ObjectNode) server.get(NODE);
    object.withObject("/spec").put("unschedulable", false);
    server.put(NODE, object.toString());
    awaitNews("NodeSchedulable");
  }

  /// What was told of the node, as `reason: message`.
  private List<String> awaitNews(String reason) {
    await(reason).until(() -> news().stream().anyMatch(it -> it.startsWith(reason + ":")));
    return news();
  }

  private List<String> news() {
    return server.list("/api/v1/namespaces/default/events/one.").stream()
        .map(it -> it.path("reason").asText() + ": " + it.path("message").asText())
        .toList();
  }

  @Test
  void whatSomebodyElseSaysTheNodeHasIsKeptAndCanBeAskedFor() throws Exception {
    await("the object").until(() -> server.get(NODE).at("/status/conditions").size() == 4);
    var object = (ObjectNode) server.get(NODE);
    object.withObject("/status/capacity").put("example.com/dongle", "4");
    object.withObject("/status/capacity").put("memory", "1");
    server.put(NODE, object.toString());

    JsonNode status =
        await("its allocatable")
            .until(
                () -> server.get(NODE).path("status"),
                it -> it.at("/allocatable/example.com~1dongle").asText().equals("4"));

    assertThat(status.at("/capacity/example.com~1dongle").asText()).isEqualTo("4");
    assertThat(status.at("/capacity/memory").asLong()).isGreaterThan(1);
  }

  @Test
  void anObjectOfThisNameThatSomebodyElseMadeIsTakenOver() throws Exception {
    await("the object").until(() -> server.get(NODE).has("status"));

    server.put(
        NODE,
        """
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "one", "uid": "of somebody else"}}
        """);

    JsonNode object =
        await("its labels and its status")
            .until(
                () -> server.get(NODE),
                it ->
                    it.at("/metadata/labels/kubernetes.io~1os").asText().equals("linux")
                        && it.at("/status/conditions").size() == 4);
    assertThat(object.at("/metadata/uid").asText()).isEqualTo("of somebody else");
  }

  @Test
  void aWatchThatIsTooOldIsBegunAnew() throws Exception {
    pod("one", container(""));
    awaitPod("one", "/status/phase", "Pending");

    server.expireWatches();
    server.delete(PODS + "one");
    pod("two", container(""));

    awaitPod("two", "/status/phase", "Pending");
    await("the end of one")
        .until(() ->
            node.state().pods().stream().map(it -> it.name()).toList().equals(List.of("two")));
    assertThat(count("GET /api/v1/pods?")).as("lists and watches").isLessThan(20);
  }

  @Test
  void onlyThisNodesPodsAreAskedFor() {
    await("a watch")
        .until(() -> server.requests().stream().anyMatch(it -> it.contains("watch=true")));

    assertThat(server.requests())
        .filteredOn(it -> it.contains("/pods?"))
        .isNotEmpty()
        .allSatisfy(it -> assertThat(it).contains("fieldSelector=spec.nodeName=one"));
    assertThat(server.requests()).noneMatch(it -> it.startsWith("GET /api/v1/nodes?"));
  }

  @Test
  void aPodThatAsksForMoreThanThereIsFailsWithItsReasonAndAnEvent() throws Exception {
    pod("big", container(", \"resources\": {\"requests\": {\"cpu\": \"4000\"}}"));

    JsonNode pod = awaitPod("big", "/status/phase", "Failed");

    assertThat(pod.at("/status/reason").asText()).isEqualTo("OutOfcpu");
    assertThat(pod.at("/status/message").asText())
        .startsWith("Pod was rejected: Node didn't have enough resource: cpu, requested: 4000000");
    assertThat(pod.at("/status").has("containerStatuses")).isFalse();
    JsonNode event =
        await("its event")
            .until(() -> server.list("/api/v1/namespaces/default/events/big"), it -> it.size() == 1)
            .getFirst();
    assertThat(event.path("reason").asText()).isEqualTo("OutOfcpu");
    assertThat(event.path("type").asText()).isEqualTo("Warning");
    assertThat(event.path("message").asText()).startsWith("Node didn't have enough resource: cpu");
    assertThat(event.at("/involvedObject/uid").asText()).isEqualTo("uid-big");
    assertThat(event.at("/source/component").asText()).isEqualTo("kubelet");
  }

  @Test
  void aPodThatIsNotUnderstoodFailsAndSaysWhy() throws Exception {
    pod(
        "secret",
        container(
            ", \"env\": [{\"name\": \"A\", \"valueFrom\": {\"secretKeyRef\": {\"name\": \"s\","
                + " \"key\": \"k\"}}}]"));

    JsonNode pod = awaitPod("secret", "/status/phase", "Failed");

    assertThat(pod.at("/status/reason").asText()).isEqualTo("PodFeatureUnsupported");
    assertThat(pod.at("/status/message").asText()).contains("spec.containers[0].env[0].valueFrom");
  }

  @Test
  void fieldsThatOnlyANewerServerKnowsAreNoReasonToRefuse() throws Exception {
    pod("newer", "\"fieldOfTheFuture\": {\"a\": 1}, " + container(", \"another\": true"));

    awaitPod("newer", "/status/phase", "Pending");
    awaitPod("newer", "/status/containerStatuses/0/state/waiting/reason", "NoRuntime");
  }

  @Test
  void aPodThatIsDeletedIsDeletedForGoodWhenItIsGone() throws Exception {
    pod("one", container(""));
    awaitPod("one", "/status/phase", "Pending");

    server.put(
        PODS + "one",
        """
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one", "namespace": "default", "uid": "uid-one",
           "deletionTimestamp": "2026-01-01T00:00:00Z", "deletionGracePeriodSeconds": 1},
         "spec": {"nodeName": "one", %s}}
        """
            .formatted(container("")));

    await("its end").until(() -> server.get(PODS + "one").isMissingNode());
    assertThat(server.requests())
        .filteredOn(it -> it.contains("/pods/one"))
        .endsWith("DELETE " + PODS + "one?null");
  }

  @Test
  void aPodThatEndedBeforeIsLeftAlone() throws Exception {
    server.put(
        PODS + "old",
        """
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "old", "namespace": "default", "uid": "uid-old"},
         "spec": {"nodeName": "one", %s}, "status": {"phase": "Failed", "reason": "Evicted"}}
        """
            .formatted(container("")));
    pod("new", container(""));

    awaitPod("new", "/status/phase", "Pending");

    assertThat(server.get(PODS + "old").at("/status/reason").asText()).isEqualTo("Evicted");
    assertThat(node.state().pods()).extracting(it -> it.name()).containsExactly("new");
  }

  @Test
  void aNodeObjectThatIsDeletedIsMadeAgain() {
    JsonNode first = await("the object").until(() -> server.get(NODE), it -> it.has("status"));

    server.delete(NODE);

    JsonNode second = await("another object").until(() -> server.get(NODE), it -> it.has("status"));
    assertThat(second.at("/metadata/uid")).isNotEqualTo(first.at("/metadata/uid"));
    await("a lease of the new one")
        .until(() ->
            server
                .get(LEASE)
                .at("/metadata/ownerReferences/0/uid")
                .equals(second.at("/metadata/uid")));
  }

  @Test
  void anApiServerThatWentAwayIsToldWhatHappenedMeanwhile() throws Exception {
    pod("one", container(""));
    awaitPod("one", "/status/phase", "Pending");

    server.goAway();
    pod("two", container(", \"resources\": {\"requests\": {\"cpu\": \"4000\"}}"));
    server.comeBack();

    awaitPod("two", "/status/reason", "OutOfcpu");
    assertThat(server.get(PODS + "one").at("/status/phase").asText()).isEqualTo("Pending");
  }

  @Test
  void aNodeThatComesBackGoesOnWithItsObject() throws Exception {
    JsonNode first = await("the object").until(() -> server.get(NODE), it -> it.has("status"));
    node.close();
    pod("one", container(""));

    node = newNode();

    awaitPod("one", "/status/phase", "Pending");
    assertThat(server.get(NODE).at("/metadata/uid")).isEqualTo(first.at("/metadata/uid"));
  }
}
