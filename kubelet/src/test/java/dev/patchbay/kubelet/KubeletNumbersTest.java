package dev.patchbay.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.kubelet.checkpoint.CheckpointFile;
import dev.patchbay.kubelet.pluginwatcher.PluginWatcherConfig;
import dev.patchbay.kubelet.podresources.PodResourcesSettings;
import dev.patchbay.kubelet.registration.PluginApi;
import dev.patchbay.rpc.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;

/// The kubelet's own numbers and names, where nothing else is configured.
class KubeletNumbersTest {
  @Test
  void ofTheDeviceManager() {
    var usual = DeviceManagerConfig.of(Path.of("/var/lib/kubelet/device-plugins"));

    assertThat(usual.endpointGrace()).isEqualTo(Duration.ofMinutes(5));
    assertThat(usual.dialTimeout()).isEqualTo(Duration.ofSeconds(10));
    assertThat(usual.preStartTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(CheckpointFile.NAME).isEqualTo("kubelet_internal_checkpoint");
    assertThat(PluginApi.V1BETA1.version()).isEqualTo("v1beta1");
    assertThat(Transport.MAX_MESSAGE_BYTES).isEqualTo(4 << 20);
  }

  @Test
  void ofThePluginWatcher() {
    Path registry = Path.of("/var/lib/kubelet/plugins_registry");

    assertThat(KubernetesMinor.V1_36.watcher(PluginWatcherConfig.of(registry)))
        .isEqualTo(
            new PluginWatcherConfig(
                registry,
                Duration.ofSeconds(1),
                Duration.ofSeconds(10),
                Duration.ofSeconds(1),
                Duration.ofSeconds(5),
                Duration.ofMillis(500),
                Duration.ofSeconds(122),
                PluginWatcherConfig.Refused.TRIED_AGAIN));
    for (KubernetesMinor older :
        new KubernetesMinor[] {KubernetesMinor.V1_34, KubernetesMinor.V1_35})
      assertThat(older.watcher(PluginWatcherConfig.of(registry)).refused())
          .as("%s", older)
          .isEqualTo(PluginWatcherConfig.Refused.LEFT_ALONE);
  }

  @Test
  void ofPodResources() {
    assertThat(PodResourcesSettings.DEFAULTS.callsPerSecond()).isEqualTo(100);
    assertThat(PodResourcesSettings.DEFAULTS.burst()).isEqualTo(10);
  }

  @Test
  void aRelativeDirectoryIsRefusedInTheKubeletsWords() {
    KubeletSettings relative = KubeletSettings.of(Path.of("device-plugins"));

    assertThatThrownBy(() -> new Kubelet(relative, InstantSource.system()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("bad socketPath, must be an absolute path: device-plugins/kubelet.sock");
  }
}
