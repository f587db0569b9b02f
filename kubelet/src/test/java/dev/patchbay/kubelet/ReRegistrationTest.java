package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/// A resource that is registered again while its plugin is still there, as when a plugin is
/// updated: the newest plugin counts, and the old one's end harms nobody.
class ReRegistrationTest {
  @AutoClose private final KubeletSide kubelet = KubeletSide.started();

  @Test
  void theNewestPluginsListCountsFromItsArrival() {
    kubelet.registered(GPU, "a", "b");
    ScriptedPlugin newer = kubelet.plugin("newer.sock");

    assertThat(newer.register(GPU)).isEmpty();
    assertThat(kubelet.counts(GPU)).as("before its list").isEqualTo("2/2");

    newer.list("a", "b", "c");
    kubelet.awaitAllocatable(GPU, 3);
    assertThat(kubelet.counts(GPU)).isEqualTo("3/3");
  }

  @Test
  void theOldPluginsListsDoNotCountAnyMore() {
    ScriptedPlugin old = kubelet.registered(GPU, "a", "b");
    ScriptedPlugin newer = kubelet.plugin("newer.sock").list("a", "b", "c");
    assertThat(newer.register(GPU)).isEmpty();
    kubelet.awaitAllocatable(GPU, 3);

    old.list("a");
    newer.list("a", "b", "c", "d");

    kubelet.awaitAllocatable(GPU, 4);
    assertThat(kubelet.counts(GPU)).isEqualTo("4/4");
  }

  @Test
  void theOldPluginsEndHarmsNothing() {
    ScriptedPlugin old = kubelet.registered(GPU, "a", "b");
    ScriptedPlugin newer = kubelet.plugin("newer.sock").list("a", "b", "c");
    assertThat(newer.register(GPU)).isEmpty();
    kubelet.awaitAllocatable(GPU, 3);

    old.close();
    newer.list("a", "b", "c", "d");

    kubelet.awaitAllocatable(GPU, 4);
    kubelet.admit(pod("p", 4));
    assertThat(old.calls()).doesNotContain("Allocate [a, b, c, d]");
    assertThat(newer.calls()).contains("Allocate [a, b, c, d]");
  }

  @Test
  void whenTheNewestEndsTheOneBeforeServesAgain() {
    ScriptedPlugin old = kubelet.registered(GPU, "a", "b");
    ScriptedPlugin newer = kubelet.plugin("newer.sock").list("a", "b", "c");
    assertThat(newer.register(GPU)).isEmpty();
    kubelet.awaitAllocatable(GPU, 3);

    newer.close();

    kubelet.awaitAllocatable(GPU, 2);
    assertThat(kubelet.counts(GPU)).isEqualTo("2/2");
    kubelet.admit(pod("p", 1));
    assertThat(old.calls()).contains("Allocate [a]");
  }

  @Test
  void theSameEndpointCanBeRegisteredAgain() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a");

    assertThat(plugin.register(GPU)).isEmpty();
    plugin.list("a", "b");

    kubelet.awaitAllocatable(GPU, 2);
    assertThat(kubelet.counts(GPU)).isEqualTo("2/2");
  }

  @Test
  void aRefusedOneLeavesTheOldOneAlone() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a");

    ScriptedPlugin bad = kubelet.plugin("bad.sock").list("a", "b", "c");
    bad.options = ScriptedPlugin.fail(Status.INTERNAL);

    assertThat(bad.register(GPU)).isPresent();
    assertThat(plugin.register("v9", GPU.toString(), plugin.endpoint())).isPresent();

    assertThat(kubelet.counts(GPU)).isEqualTo("1/1");
    kubelet.admit(pod("p", 1));
    assertThat(plugin.calls()).contains("Allocate [a]");
    plugin.list("a", "b");
    kubelet.awaitAllocatable(GPU, 2);
  }

  @Test
  void devicesStayAvailableWhileTheNewPluginHasNotListedYet() {
    ScriptedPlugin old = kubelet.registered(GPU, "a", "b");
    ScriptedPlugin newer = kubelet.plugin("newer.sock");
    assertThat(newer.register(GPU)).isEmpty();

    old.close();
    kubelet.admit(pod("p", 2));

    assertThat(newer.calls()).contains("Allocate [a, b]");
  }
}
