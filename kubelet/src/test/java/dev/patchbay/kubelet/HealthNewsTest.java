package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.NIC;
import static dev.patchbay.kubelet.Pods.container;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.ScriptedPlugin.device;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Which pods' statuses have to be looked at again after a list: those that hold a device whose
/// health changed, or that was not in the list before.
///
/// Pod `p` holds a, pod `q` holds b. Each test ends with a change of b: what was told before that
/// is all that there was to tell.
class HealthNewsTest {
  private final List<String> told = new CopyOnWriteArrayList<>();
  @AutoClose private final KubeletSide kubelet = KubeletSide.started();
  private ScriptedPlugin plugin = new ScriptedPlugin(kubelet.directory(), "none");

  @BeforeEach
  void admitTwoPods() {
    kubelet.restartWith(
        UnaryOperator.identity(),
        new KubeletEvents() {
          @Override
          public void deviceHealthChanged(SortedSet<String> podUids) {
            told.add(String.join(" ", podUids));
          }
        });
    plugin = kubelet.registered(GPU, "a", "b", "c");
    kubelet.admit(pod("p", 1));
    kubelet.admit(pod("q", 1));
    assertThat(told).as("nobody held anything before").isEmpty();
  }

  private void assertToldOf(String... pods) {
    plugin.list(device("a"), device("b", "broken for the test"), device("c"));
    await().atMost(Duration.ofSeconds(20)).until(() -> told.contains("q"));
    assertThat(told.subList(0, told.indexOf("q"))).containsExactly(pods);
  }

  @Test
  void ofADeviceThatBreaks() {
    plugin.list(device("a", "Unhealthy"), device("b"), device("c"));
    plugin.list(device("a"), device("b"), device("c"));

    assertToldOf("p", "p");
  }

  /// Upstream looks again, and finds the same status.
  @Test
  void notOfADeviceThatIsUnhealthyInAnotherWay() {
    plugin.list(device("a", "Unhealthy"), device("b"), device("c"));
    plugin.list(device("a", "on fire"), device("b"), device("c"));
    plugin.list(device("a"), device("b"), device("c"));

    assertToldOf("p", "p");
  }

  @Test
  void ofADeviceThatReappearsAndNotOfOneThatVanishes() {
    plugin.list(device("b"), device("c"));
    plugin.list(device("b"), device("c", "Unhealthy"));
    plugin.list(device("a"), device("b"), device("c"));

    assertToldOf("p");
  }

  @Test
  void notOfDevicesThatNobodyHolds() {
    plugin.list(device("a"), device("b"), device("c", "Unhealthy"), device("d"));
    plugin.list(device("a"), device("b"));

    assertToldOf();
  }

  @Test
  void notOfAListThatSaysTheSame() {
    plugin.list(device("c"), device("b"), device("a"));
    plugin.list(device("a"), device("b"), device("c"));

    assertToldOf();
  }

  @Test
  void notOfTheEndOfTheStreamAndNotWhenThePluginIsBackWithTheSame() {
    plugin.endStreams();
    kubelet.awaitAllocatable(GPU, 0);
    plugin = kubelet.plugin("again.sock").list("a", "b", "c");
    assertThat(plugin.register(GPU)).isEmpty();
    kubelet.awaitAllocatable(GPU, 3);

    assertToldOf();
  }

  /// After a restart nothing was listed before.
  @Test
  void ofAllThatIsHeldWithTheFirstListAfterARestart() {
    kubelet.restart().sourcesReady(true);
    kubelet.manager().know(pod("p", 1));
    kubelet.manager().know(pod("q", 1));
    plugin = kubelet.registered(GPU, "a", "c");

    assertToldOf("p");
  }

  /// Upstream looks for the owner by the id alone, and may wake the other pod.
  @Test
  void notOfAnotherResourcesDeviceOfThatName() {
    ScriptedPlugin nics = kubelet.registered(NIC, "a", "n");
    kubelet.admit(pod("r", List.of(), container("main", Map.of(NIC, 2L), false)));
    nics.list(new Device[] {device("n"), device("a", "Unhealthy")});
    await().atMost(Duration.ofSeconds(20)).until(() -> told.contains("r"));

    assertToldOf("r");
  }
}
