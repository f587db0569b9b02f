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

  private Optional<Kubelet> open = Optional.empty();

  private Kubelet startNode(String test, Side side, GoPlugin plugin) throws Exception {
    Kubelet started = side.start(test + "/" + side + "-" + plugin);
    open = Optional.of(started);
    started.plug("toy0", 0);
    started.plug("toy1", 1);
    return started;
  }

  @AfterEach
  void endNode() throws Exception {
    if (open.isPresent()) open.get().end();
  }

  static Stream<Arguments> everyPlugin() throws IOException {
    List<GoPlugin> plugins = GoPlugin.all();
    return Arrays.stream(Side.values())
        .flatMap(side -> plugins.stream().map(plugin -> arguments(side, plugin)));
  }

  static Stream<Arguments> usable() throws IOException {
    return everyPlugin().filter(each -> ((GoPlugin) each.get()[1]).usable());
  }

  /// Plugins look for the kubelet's socket when they start, and many end when it is missing.
  private static Daemon startKubelet(Kubelet kubelet) throws IOException {
    Daemon started = kubelet.startKubelet();
    Path socket = kubelet.place().dir().resolve("lib/kubelet/device-plugins/kubelet.sock");
    await("the kubelet: " + started.log()).until(() -> Files.exists(socket));
    return started;
  }

  private static void awaitListed(Kubelet node, Daemon kubelet, GoPlugin plugin, Daemon running) {
    for (String resource : plugin.resources())
      await(resource + ", " + plugin.devices() + " devices; " + running)
          .until(() -> node.lists(kubelet, resource, plugin.devices()));
  }

  @ParameterizedTest
  @MethodSource("everyPlugin")
  void registersAndLists(Side side, GoPlugin plugin) throws Exception {
    Kubelet node = startNode("registersAndLists", side, plugin);
    Daemon kubelet = startKubelet(node);

    Daemon running = plugin.start(node.place());

    awaitListed(node, kubelet, plugin, running);
  }

  @ParameterizedTest
  @MethodSource("usable")
  void aPodGetsADevice(Side side, GoPlugin plugin) throws Exception {
    Kubelet node = startNode("aPodGetsADevice", side, plugin);
    Daemon kubelet = startKubelet(node);
    awaitListed(node, kubelet, plugin, plugin.start(node.place()));

    awaitOneInAPod(node, plugin);
  }

  @ParameterizedTest
  @MethodSource("everyPlugin")
  void isThereAgainWhenTheKubeletIs(Side side, GoPlugin plugin) throws Exception {
    Kubelet node = startNode("isThereAgainWhenTheKubeletIs", side, plugin);
    Daemon first = startKubelet(node);
    Daemon running = plugin.start(node.place());
    awaitListed(node, first, plugin, running);

    first.kill();
    Daemon second = node.startKubelet();

    // What ends with the kubelet is started again, as Kubernetes would.
    Daemon[] latest = {running};
    await(plugin + " to be there again: " + running.log())
        .pollInterval(Duration.ofMillis(500))
        .until(() -> {
          if (!latest[0].program().isAlive()) latest[0] = plugin.start(node.place());
          return isListed(node, second, plugin);
        });
    if (plugin.usable()) awaitOneInAPod(node, plugin);
  }

  private static boolean isListed(Kubelet node, Daemon kubelet, GoPlugin plugin)
      throws IOException {
    for (String resource : plugin.resources())
      if (!node.lists(kubelet, resource, plugin.devices())) return false;
    return true;
  }

  private static void awaitOneInAPod(Kubelet node, GoPlugin plugin) throws Exception {
    for (String resource : plugin.resources()) {
      var pod = new StaticPod("one-" + plugin.resources().indexOf(resource), resource, 1);
      node.create(pod);
      await(resource + " in a pod")
          .untilAsserted(() -> assertThat(node.output(pod.name())).contains(StaticPod.TRIED));
      assertThat(node.given(resource)).hasSize(1);
    }
  }

  @ParameterizedTest
  @MethodSource("bothKubelets")
  void theSamplesPodOpensItsNodesAndNoOther(Side side) throws Exception {
    GoPlugin plugin = GoPlugin.sample();
    Kubelet node = startNode("theSamplesPodOpensItsNodesAndNoOther", side, plugin);
    Daemon kubelet = startKubelet(node);
    awaitListed(node, kubelet, plugin, plugin.start(node.place()));

    node.create(new StaticPod("two", "a.b/sample", 2));
    await("the pod").untilAsserted(() -> assertThat(node.output("two")).contains(StaticPod.TRIED));

    assertThat(node.output("two"))
        .contains("opens /dev/toy0", "opens /dev/toy1")
        .doesNotContain("opens /dev/other");
    assertThat(node.given("a.b/sample")).containsExactly("toy0", "toy1");
  }

  static Stream<Side> bothKubelets() {
    return Arrays.stream(Side.values());
  }
}
