package dev.patchbay.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.DeviceList;
import dev.patchbay.model.ResourceName;
import dev.patchbay.node.NodeState.Activity;
import dev.patchbay.node.NodeState.Phase;
import dev.patchbay.node.NodeState.PodState;
import dev.patchbay.sdk.DeviceFeed;
import dev.patchbay.sdk.DevicePlugin;
import dev.patchbay.sdk.PluginHost;
import dev.patchbay.sdk.PluginHostConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The whole way: a plugin registers on a socket, a pod asks for its devices, a real container gets
/// them.
@Timeout(120)
class PluginToContainerTest {
  private static final Duration SOON = Duration.ofSeconds(40);
  private static final ResourceName GIVEN = ResourceName.of("devices.example/given");

  private Path dir;
  private String granted;
  private PluginHost plugins;
  private final DeviceFeed feed =
      DeviceFeed.of(Device.healthy("d0"), Device.healthy("d1"), Device.healthy("d2"));
  private Node node;

  @BeforeEach
  void start() throws Exception {
    granted = RealContainersTest.grantable();
    dir = Files.createTempDirectory(Path.of("/tmp"), "pb");
    Files.createDirectory(dir.resolve("manifests"));
    plugins = PluginHost.start(PluginHostConfig.of(dir));
    plugins.serve(
        GIVEN,
        new DevicePlugin() {
          @Override
          public DeviceFeed devices() {
            return feed;
          }

          @Override
          public ContainerEdits allocate(List<DeviceId> devices) {
            String ids = String.join(",", devices.stream().map(DeviceId::value).toList());
            return ContainerEdits.ofNode(granted, "rw").and(ContainerEdits.ofEnv("GIVEN", ids));
          }
        });
    node = Node.start(NodeConfig.of(dir), Optional.empty());
  }

  @AfterEach
  void stop() throws Exception {
    if (node != null) node.closeAndRemovePods();
    if (plugins != null) plugins.close();
    if (dir == null) return;
    try (Stream<Path> tree = Files.walk(dir)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) Files.delete(path);
    }
  }

  @Test
  void aPodThatAsksForTwoGetsTheNode() throws Exception {
    manifest(
        "one",
        """
        restartPolicy: Never
        containers:
          - name: main
            image: x
            command: [sh, -c, ": 3<>%s && echo opened $GIVEN"]
            resources: {limits: {devices.example/given: 2}}
        """
            .formatted(granted));

    PodState pod = await("one", p -> p.phase() == Phase.SUCCEEDED);

    assertThat(Files.readString(Path.of(pod.containers().getFirst().log())))
        .isEqualTo("opened d0,d1\n");
    assertThat(node.state().node().capacity()).containsEntry(GIVEN.toString(), 3L);
    assertThat(node.state().node().allocatable()).containsEntry(GIVEN.toString(), 3L);
  }

  @Test
  void aContainerKeepsItsDevicesOverARestartOfTheNode() throws Exception {
    manifest(
        "one",
        "containers: [{name: main, image: x, resources: {limits: {devices.example/given: 2}}}]");
    PodState before = await("one", p -> p.containers().getFirst().pid() > 0);
    assertThat(before.containers().getFirst().devices())
        .containsEntry(GIVEN.toString(), List.of("d0", "d1"));
    node.close();

    node = Node.start(NodeConfig.of(dir), Optional.empty());

    assertThat(
            await("one", p -> p.containers().getFirst().state() == Activity.RUNNING)
                .containers()
                .getFirst()
                .pid())
        .isEqualTo(before.containers().getFirst().pid());
    manifest(
        "two",
        "containers: [{name: main, image: x, resources: {limits: {devices.example/given: 1}}}]");
    PodState two = await("two", p -> p.containers().getFirst().pid() > 0);
    assertThat(two.containers().getFirst().devices())
        .containsEntry(GIVEN.toString(), List.of("d2"));
    assertThat(await("one", p -> true).containers().getFirst().devices())
        .containsEntry(GIVEN.toString(), List.of("d0", "d1"));
  }

  @Test
  void allocatableFollowsHealth() throws Exception {
    assertThat(node.awaitState(s -> allocatable(s) == 3, SOON)).isTrue();
    feed.publish(
        DeviceList.of(Device.healthy("d0"), Device.unhealthy("d1", "gone"), Device.healthy("d2")));
    assertThat(node.awaitState(s -> allocatable(s) == 2, SOON)).isTrue();
    feed.publish(DeviceList.of(Device.healthy("d0"), Device.healthy("d1"), Device.healthy("d2")));
    assertThat(node.awaitState(s -> allocatable(s) == 3, SOON)).isTrue();
  }

  private static long allocatable(NodeState state) {
    return state.node().allocatable().getOrDefault(GIVEN.toString(), -1L);
  }

  private void manifest(String name, String spec) throws IOException {
    Path draft = dir.resolve("manifests/." + name);
    Files.writeString(
        draft,
        "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec:\n" + spec.indent(2));
    Files.move(draft, dir.resolve("manifests/" + name + ".yaml"));
  }

  private PodState await(String name, Predicate<PodState> condition) throws InterruptedException {
    Predicate<PodState> wanted = pod -> pod.name().equals(name) && condition.test(pod);
    assertThat(node.awaitState(s -> s.pods().stream().anyMatch(wanted), SOON))
        .as("state: %s", node.state())
        .isTrue();
    return node.state().pods().stream().filter(wanted).findFirst().orElseThrow();
  }
}
