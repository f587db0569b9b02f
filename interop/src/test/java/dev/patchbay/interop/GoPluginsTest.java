package dev.patchbay.interop;

import static dev.patchbay.interop.RealNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Plugins that others wrote, on the real kubelet and on ours: what the one accepts, the other does
/// too.
@Timeout(300)
@Tag("plugins")
@ExtendWith(NamesLogs.class)
final class GoPluginsTest {
  /// Whose kubelet.
  enum Side {
    REAL,
    OURS;

    Kubelet start(String name) throws IOException, InterruptedException {
      return switch (this) {
        case REAL -> RealNode.start(name);
        case OURS -> EmbeddedNode.start(name);
      };
    }
  }

  private Optional<Kubelet> node = Optional.empty();

  private Kubelet startNode(String test, Side side, GoPlugin plugin) throws Exception {
    Kubelet started = side.start(test + "/" + side + "-" + plugin);
    node = Optional.of(started);
    started.plug("toy0", 0);
    started.plug("toy1", 1);
    return started;
  }

  @AfterEach
  void endNode() throws Exception {
    if (node.isPresent()) node.get().end();
  }

  static Stream<Arguments> everyPlugin() throws IOException {
    List<GoPlugin> plugins = GoPlugin.all();
    return Arrays.stream(Side.values())
        .flatMap(side -> plugins.stream().map(plugin -> arguments(side, plugin)));
  }

  static Stream<Arguments> thoseWithDevices() throws IOException {
    return everyPlugin().filter(each -> ((GoPlugin) each.get()[1]).devices() > 0);
  }

  /// Plugins look for the kubelet's socket when they start, and many end when it is missing.
  private static Daemon startKubelet(Kubelet kubelet) throws IOException {
    Daemon started = kubelet.startKubelet();
    Path socket = kubelet.place().dir().resolve("lib/kubelet/device-plugins/kubelet.sock");
    await("the kubelet: " + started.log()).until(() -> Files.exists(socket));
    return started;
  }

  private static void awaitListed(Kubelet kubelet, GoPlugin plugin, Daemon running) {
    for (String resource : plugin.resources())
      await(resource + " with " + running.log())
          .untilAsserted(() -> {
            assertThat(kubelet.checkpoint().at("/Data/RegisteredDevices").path(resource))
                .as("%s in the checkpoint, from %s", resource, running)
                .hasSize(plugin.devices());
            assertThat(kubelet.allocatableCount(resource)).isEqualTo(plugin.devices());
          });
  }

  @ParameterizedTest
  @MethodSource("everyPlugin")
  void registersAndLists(Side side, GoPlugin plugin) throws Exception {
    Kubelet kubelet = startNode("registersAndLists", side, plugin);
    startKubelet(kubelet);

    Daemon running = plugin.start(kubelet.place());

    awaitListed(kubelet, plugin, running);
  }

  @ParameterizedTest
  @MethodSource("thoseWithDevices")
  void aPodGetsADevice(Side side, GoPlugin plugin) throws Exception {
    Kubelet kubelet = startNode("aPodGetsADevice", side, plugin);
    startKubelet(kubelet);
    awaitListed(kubelet, plugin, plugin.start(kubelet.place()));

    for (String resource : plugin.resources()) {
      var pod = new StaticPod("one-" + plugin.resources().indexOf(resource), resource, 1);
      kubelet.create(pod);
      await(resource + " in a pod")
          .untilAsserted(() -> assertThat(kubelet.output(pod.name())).contains(StaticPod.TRIED));
      assertThat(kubelet.held(pod.name(), resource)).hasSize(1);
    }
  }

  @ParameterizedTest
  @MethodSource("thoseWithDevices")
  void isThereAgainWhenTheKubeletIs(Side side, GoPlugin plugin) throws Exception {
    Kubelet kubelet = startNode("isThereAgainWhenTheKubeletIs", side, plugin);
    Daemon first = startKubelet(kubelet);
    Daemon running = plugin.start(kubelet.place());
    awaitListed(kubelet, plugin, running);

    first.kill();
    kubelet.startKubelet();

    // What ends with the kubelet is started again, as Kubernetes would.
    Daemon[] latest = {running};
    await(plugin + " to be there again: " + running.log())
        .pollInterval(Duration.ofMillis(500))
        .until(() -> {
          if (!latest[0].program().isAlive()) latest[0] = plugin.start(kubelet.place());
          return isListed(kubelet, plugin);
        });
  }

  private static boolean isListed(Kubelet kubelet, GoPlugin plugin)
      throws IOException, InterruptedException {
    for (String resource : plugin.resources())
      if (kubelet.allocatableCount(resource) != plugin.devices()) return false;
    return true;
  }

  @ParameterizedTest
  @MethodSource("bothKubelets")
  void theSamplesPodOpensItsNodesAndNoOther(Side side) throws Exception {
    GoPlugin plugin = GoPlugin.sample();
    Kubelet kubelet = startNode("theSamplesPodOpensItsNodesAndNoOther", side, plugin);
    startKubelet(kubelet);
    awaitListed(kubelet, plugin, plugin.start(kubelet.place()));
    kubelet.create(new StaticPod("two", "a.b/sample", 2));
    await("the pod")
        .untilAsserted(() -> assertThat(kubelet.output("two")).contains(StaticPod.TRIED));
    assertThat(kubelet.output("two"))
        .contains("opens /dev/toy0", "opens /dev/toy1")
        .doesNotContain("opens /dev/other");
    assertThat(kubelet.held("two", "a.b/sample")).containsExactly("toy0", "toy1");
  }

  static Stream<Side> bothKubelets() {
    return Arrays.stream(Side.values());
  }
}
