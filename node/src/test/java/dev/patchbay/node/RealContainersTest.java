package dev.patchbay.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import dev.patchbay.node.NodeState.Activity;
import dev.patchbay.node.NodeState.ContainerState;
import dev.patchbay.node.NodeState.Phase;
import dev.patchbay.node.NodeState.PodState;
import dev.patchbay.oci.OciRuntime;
import dev.patchbay.oci.RuntimeAvailability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Pods whose containers are run by the OCI runtime of this machine.
@Timeout(120)
class RealContainersTest {
  private static final Duration SOON = Duration.ofSeconds(40);
  private static final List<String> NODES =
      List.of("/dev/kvm", "/dev/fuse", "/dev/net/tun", "/dev/hwrng");

  @TempDir Path dir;
  private Path manifests;
  private Node node;
  private String granted;

  @BeforeEach
  void start() throws Exception {
    granted = grantable();
    manifests = Files.createDirectory(dir.resolve("manifests"));
    node = NodeProcess.start(dir, granted);
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    if (node == null) return;
    node.closeAndRemovePods();
    try (Stream<Path> left = Files.list(dir)) {
      assertThat(left).containsExactly(manifests);
    }
    try (Stream<Path> hierarchies = Files.list(Path.of("/sys/fs/cgroup"))) {
      String prefix = RuntimeContainers.of(Path.of("/x"), dir).node();
      for (Path hierarchy : hierarchies.filter(Files::isDirectory).toList())
        try (Stream<Path> groups = Files.list(hierarchy)) {
          assertThat(groups.map(Path::toString)).noneMatch(path -> path.contains(prefix));
        }
    }
  }

  @Test
  void onlyTheContainerThatAskedHasTheDevice() throws Exception {
    String open = "[ -c " + granted + " ] && : 3<>" + granted + " && echo opened || echo refused";
    manifest(
        """
        restartPolicy: Never
        containers:
          - {name: with, image: x, command: [sh, -c, "%s"], resources: {limits: {a.b/c: 1}}}
          - {name: without, image: x, command: [sh, -c, "%s"]}
        """
            .formatted(open, open));

    PodState pod = await(p -> p.phase() == Phase.SUCCEEDED);

    assertThat(log(pod, 0)).contains("opened").doesNotContain("refused");
    assertThat(log(pod, 1)).contains("refused").doesNotContain("opened");
  }

  @Test
  void aContainerOutlivesTheNodesProcess() throws Exception {
    node.close();
    manifest("containers: [{name: main, image: x, resources: {limits: {a.b/c: 1}}}]");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                NodeProcess.class.getName(),
                dir.toString(),
                granted)
            .inheritIO()
            .start();
    ContainerState before =
        Awaitility.await()
            .atMost(SOON)
            .ignoreExceptions()
            .until(
                () -> NodeState.read(dir).pods().getFirst().containers().getFirst(),
                main -> main.state() == Activity.RUNNING);
    process.destroyForcibly().waitFor();
    assertThat(NodeState.read(dir).isLive()).isFalse();
    assertThat(ProcessHandle.of(before.pid())).isPresent();

    node = NodeProcess.start(dir, granted);

    PodState after = await(p -> p.containers().getFirst().state() == Activity.RUNNING);
    assertThat(after.containers().getFirst().pid()).isEqualTo(before.pid());
    assertThat(after.containers().getFirst().restarts()).isZero();
    Files.delete(manifests.resolve("one.yaml"));
    Awaitility.await().atMost(SOON).until(() -> ProcessHandle.of(before.pid()).isEmpty());
  }

  @Test
  void aContainerThatIsKilledIsStartedAgain() throws Exception {
    manifest("containers: [{name: main, image: x}]");
    long pid =
        await(p -> p.phase() == Phase.RUNNING && p.containers().getFirst().pid() > 0)
            .containers()
            .getFirst()
            .pid();

    ProcessHandle.of(pid).orElseThrow().destroyForcibly();

    PodState pod =
        await(
            p -> p.containers().getFirst().restarts() == 1 && p.containers().getFirst().pid() > 0);
    assertThat(pod.containers().getFirst().exitCode()).isEqualTo(137);
  }

  private void manifest(String spec) throws IOException {
    Path draft = manifests.resolve(".one.yaml");
    Files.writeString(
        draft, "apiVersion: v1\nkind: Pod\nmetadata: {name: one}\nspec:\n" + spec.indent(2));
    Files.move(draft, manifests.resolve("one.yaml"));
  }

  private PodState await(Predicate<PodState> condition) throws InterruptedException {
    assertThat(node.awaitState(s -> s.pods().stream().anyMatch(condition), SOON))
        .as("state: %s", node.state())
        .isTrue();
    return node.state().pods().getFirst();
  }

  private static String log(PodState pod, int container) throws IOException {
    return Files.readString(Path.of(pod.containers().get(container).log()));
  }

  /// A device node that can be opened without an effect, on a machine that can run containers.
  static String grantable() {
    if (OciRuntime.find(Optional.empty()) instanceof RuntimeAvailability.Missing(String why))
      skip(why);
    Optional<String> node = NODES.stream().filter(p -> Files.exists(Path.of(p))).findFirst();
    if (node.isEmpty()) skip("this machine has none of " + NODES);
    return node.orElseThrow();
  }

  private static void skip(String why) {
    if ("1".equals(System.getenv("PATCHBAY_REQUIRE_RUNC"))) fail("needed here: " + why);
    System.err.println("SKIPPED, no container is run by this test: " + why);
    Assumptions.abort(why);
  }
}
