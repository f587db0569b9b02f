package dev.patchbay.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.kubelet.Quirk;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import dev.patchbay.testkit.EmbeddedKubelet;
import dev.patchbay.testkit.ScriptedPlugin;
import dev.patchbay.testkit.TestKubelet;
import org.junit.jupiter.api.Test;

/// A kubelet that a test has configured.
final class EmbeddedKubeletSettingsTest {
  private static final String TOY = "a.b/toy";

  private static ScriptedPlugin onTwoNodes(TestKubelet kubelet) throws Exception {
    ScriptedPlugin plugin =
        ScriptedPlugin.serve(
            kubelet.directory(), TOY, "toy.sock", DevicePluginOptions.getDefaultInstance());
    plugin.list(ToysOnTwoNodes.list());
    plugin.register();
    kubelet.awaitAllocatable(TOY, 3);
    return plugin;
  }

  @Test
  @EmbeddedKubelet(config = "topologyManagerPolicy: single-numa-node", numaNodes = 2)
  void itsTopologyManagerKeepsDevicesTogether(TestKubelet kubelet) throws Exception {
    try (var _ = onTwoNodes(kubelet)) {
      assertThat(kubelet.allocate(TOY, 2).devices()).containsExactly("t1", "t2");
      assertThatThrownBy(() -> kubelet.allocate(TOY, 2))
          .hasMessageContaining("Resources cannot be allocated with Topology locality");
    }
  }

  @Test
  @EmbeddedKubelet
  void withoutSettingsItHasNoTopologyManager(TestKubelet kubelet) throws Exception {
    try (var _ = onTwoNodes(kubelet)) {
      assertThat(kubelet.allocate(TOY, 3).devices()).hasSize(3);
    }
  }

  @Test
  @EmbeddedKubelet(
      config =
          """
          cpuManagerPolicy: static
          reservedSystemCPUs: "0"
          """)
  void itsCpuManagerWritesItsFile(TestKubelet kubelet) {
    assertThat(kubelet.directory().resolve("cpu_manager_state"))
        .content()
        .contains("\"policyName\":\"static\"", "\"defaultCpuSet\":\"0-7\"");
  }

  @Test
  @EmbeddedKubelet(quirks = Quirk.OLD_PLUGINS_END_THE_NEWEST)
  void aPluginCanBeShownADefectOfTheKubelet(TestKubelet kubelet) throws Exception {
    try (var old = onTwoNodes(kubelet);
        var newer =
            ScriptedPlugin.serve(
                kubelet.directory(), TOY, "newer.sock", DevicePluginOptions.getDefaultInstance())) {
      newer.list("t0", "t1", "t2", "t3");
      newer.register();
      kubelet.awaitAllocatable(TOY, 4);

      old.endStreams();

      kubelet.awaitAllocatable(TOY, 0);
    }
  }

  @Test
  void aWrongSettingIsSaidWithItsPlace() {
    assertThatThrownBy(
            () -> TestKubelet.making().config("maxPods: 9\ncpuManagerPolicy: odd\n").make())
        .hasMessage("config:2: cpuManagerPolicy: is \"odd\"; needed is one of none, static");
    assertThatThrownBy(() -> TestKubelet.making().kubernetes("1.9"))
        .hasMessage("Kubernetes \"1.9\" is not followed; needed is one of [1.34, 1.35, 1.36]");
  }
}
