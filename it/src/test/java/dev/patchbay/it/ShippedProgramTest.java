package dev.patchbay.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.it.Shipped.Ended;
import dev.patchbay.node.NodeState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What users start, started as they start it. Devices are plain files offered as mounts, so that
/// no root is needed; only the demo uses this machine's own.
@Timeout(240)
final class ShippedProgramTest {
  private static final String TOYS =
      """
      version: 1
      drivers:
        device-node:
          domain: a.b
          devices: [{name: toy, groups: [{paths: [{path: "/dev/toy*", type: mount}]}]}]
      """;
  private static final String TOY = "a.b/toy";

  private Path dir = Path.of("/nonexistent");
  private Path config = dir;

  @BeforeEach
  void prepare() throws IOException {
    dir = Files.createTempDirectory(Path.of("/tmp"), "pb");
    Path dev = Files.createDirectories(dir.resolve("host/dev"));
    Files.writeString(dev.resolve("toy0"), "");
    Files.writeString(dev.resolve("toy1"), "");
    config = Files.writeString(dir.resolve("c.yaml"), TOYS);
  }

  @AfterEach
  void clean() throws IOException {
    try (Stream<Path> tree = Files.walk(dir)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) Files.delete(path);
    }
  }

  @Test
  void theDemoDoesWhatItSaysAndLeavesNothing() throws Exception {
    List<String> before = demosLeft();

    Ended demo = Shipped.run(dir.resolve("demo.log"), "demo");

    assertThat(demo.output()).endsWith("Done; nothing is left behind.\n");
    assertThat(demo.status()).isZero();
    assertThat(demo.output())
        .contains(
            "demo-pod",
            "second-pod",
            "greedy-pod  Pending",
            "healthy again",
            "pods hold the same devices",
            "all resources are allocatable again");
    if (!demo.output().contains("No container is run:"))
      assertThat(demo.output()).contains(": opens", ": refused (Operation not permitted)");
    assertThat(demosLeft()).isEqualTo(before);
  }

  private static List<String> demosLeft() throws IOException {
    try (Stream<Path> tmp = Files.list(Path.of("/tmp"))) {
      return tmp.map(Path::toString).filter(it -> it.contains("patchbay-demo-")).sorted().toList();
    }
  }

  @Test
  void anAgentThatIsKilledComesBackUnderTheSameKubelet() throws Exception {
    Path kubeletDir = dir.resolve("k");
    try (Shipped kubelet = startKubelet(kubeletDir)) {
      try (Shipped agent = startAgent(kubeletDir)) {
        awaitCounts(kubeletDir, 2, 2, kubelet, agent);
        agent.kill();
      }
      awaitCounts(kubeletDir, 2, 0, kubelet);
      try (Shipped agent = startAgent(kubeletDir)) {
        awaitCounts(kubeletDir, 2, 2, kubelet, agent);
        assertThat(agent.terminate()).isZero();
      }
      awaitCounts(kubeletDir, 2, 0, kubelet);
      assertThat(kubelet.terminate()).isZero();
    }
    try (Stream<Path> left = Files.list(kubeletDir.resolve("device-plugins"))) {
      assertThat(left.map(it -> it.getFileName().toString()))
          .as("the socket that the kill left went with the next start")
          .containsExactly("kubelet_internal_checkpoint");
    }
  }

  @Test
  void aKubeletThatIsKilledComesBackUnderTheSameAgent() throws Exception {
    Path kubeletDir = dir.resolve("k");
    try (Shipped agent = startAgent(kubeletDir)) {
      for (int round = 0; round < 3; round++)
        try (Shipped kubelet = startKubelet(kubeletDir)) {
          awaitCounts(kubeletDir, 2, 2, kubelet, agent);
          kubelet.kill();
        }
      assertThat(agent.terminate()).isZero();
    }
  }

  @Test
  void anEditOfTheConfigurationAndAHangUpReachTheKubelet() throws Exception {
    Path kubeletDir = dir.resolve("k");
    try (Shipped kubelet = startKubelet(kubeletDir);
        Shipped agent = startAgent(kubeletDir)) {
      awaitCounts(kubeletDir, 2, 2, kubelet, agent);
      Files.writeString(config, TOYS + "out-of-service: [{resource: a.b/toy, device: toy1}]\n");
      awaitCounts(kubeletDir, 2, 1, kubelet, agent);
      Files.writeString(config, TOYS + "out-of-sevrice: []\n");
      Awaitility.await()
          .untilAsserted(
              () -> assertThat(agent.log()).content().contains("did you mean out-of-service?"));
      awaitCounts(kubeletDir, 2, 1, kubelet, agent);
      Files.writeString(config, TOYS + "log: {format: json}\n");
      awaitCounts(kubeletDir, 2, 2, kubelet, agent);
      agent.hangUp();
      Awaitility.await()
          .untilAsserted(() ->
              assertThat(agent.log())
                  .content()
                  .contains("\"msg\":\"configuration did not change\""));
      assertThat(agent.terminate()).isZero();
    }
  }

  @Test
  void anAgentWithTheKubeletInsideNeedsNothingElse() throws Exception {
    Path kubeletDir = dir.resolve("k");
    try (Shipped agent = startAgent(kubeletDir, "--embedded-kubelet")) {
      awaitCounts(kubeletDir, 2, 2, agent);
      assertThat(agent.terminate()).isZero();
    }
  }

  @Test
  void aSecondKubeletInOneDirectoryIsRefused() throws Exception {
    Path kubeletDir = dir.resolve("k");
    try (Shipped kubelet = startKubelet(kubeletDir)) {
      Awaitility.await().until(() -> Files.exists(NodeState.file(kubeletDir)));

      Ended second =
          Shipped.run(dir.resolve("second.log"), "kubelet", "--dir", kubeletDir.toString());

      assertThat(second.status()).isEqualTo(1);
      assertThat(second.output()).contains(kubeletDir.toString());
      assertThat(kubelet.process().isAlive()).isTrue();
      assertThat(kubelet.terminate()).isZero();
    }
  }

  private Shipped startKubelet(Path kubeletDir) throws IOException {
    return Shipped.start(dir.resolve("kubelet.log"), "kubelet", "--dir", kubeletDir.toString());
  }

  private Shipped startAgent(Path kubeletDir, String... more) throws IOException {
    String[] args = {
      "agent",
      "--config",
      config.toString(),
      "--host-root",
      dir.resolve("host").toString(),
      "--kubelet-dir",
      kubeletDir.toString()
    };
    String[] all = Stream.concat(Stream.of(args), Stream.of(more)).toArray(String[]::new);
    return Shipped.start(dir.resolve("agent.log"), all);
  }

  private static void awaitCounts(
      Path kubeletDir, long capacity, long allocatable, Shipped... processes) {
    Awaitility.await(List.of(processes).toString())
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(50))
        .untilAsserted(() -> {
          assertThat(NodeState.file(kubeletDir)).exists();
          NodeState.Resources node = NodeState.read(kubeletDir).node();
          assertThat(node.capacity().getOrDefault(TOY, 0L)).isEqualTo(capacity);
          assertThat(node.allocatable().getOrDefault(TOY, 0L)).isEqualTo(allocatable);
        });
  }
}
