package dev.patchbay.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import dev.patchbay.sdk.DeviceFeed;
import dev.patchbay.sdk.DevicePlugin;
import dev.patchbay.sdk.PluginHost;
import dev.patchbay.sdk.PluginHostConfig;
import dev.patchbay.sdk.PluginHostConfig.Way;
import dev.patchbay.testkit.EmbeddedKubelet;
import dev.patchbay.testkit.Received.Registered;
import dev.patchbay.testkit.TestKubelet;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A plugin of the SDK that lies in `plugins_registry`, and the kubelet that finds it there.
@EmbeddedKubelet
final class SdkInTheRegistryTest {
  private static final String NIC = "vendor.example/nic";

  private Optional<PluginHost> host = Optional.empty();

  @BeforeEach
  void serve(TestKubelet kubelet) {
    var usual = PluginHostConfig.of(kubelet.directory());
    var config =
        new PluginHostConfig(
            usual.kubeletDir(),
            Set.of(Way.PLUGINS_REGISTRY),
            usual.callTimeout(),
            Duration.ofSeconds(1),
            Duration.ofMillis(50),
            Duration.ofMillis(500),
            usual.rescanEvery());
    var started = PluginHost.start(config);
    host = Optional.of(started);
    started.serve(ResourceName.of(NIC), new Nics(DeviceFeed.of(Device.healthy("a"))));
  }

  @AfterEach
  void close() {
    host.ifPresent(PluginHost::close);
  }

  @Test
  void isFoundAndAllocated(TestKubelet kubelet) throws Exception {
    Registered found = kubelet.awaitRegistration(NIC);
    assertThat(found.socket().getParent()).isEqualTo(kubelet.pluginsRegistryDir());
    kubelet.awaitAllocatable(NIC, 1);
    assertThat(kubelet.allocate(NIC, 1).edits().env()).containsEntry("NICS", "[a]");
  }

  @Test
  void isFoundAgainByAKubeletThatStartsAnew(TestKubelet kubelet) throws Exception {
    kubelet.awaitAllocatable(NIC, 1).restart().awaitAllocatable(NIC, 1);
    kubelet.kill();
    kubelet.start().awaitAllocatable(NIC, 1);
    kubelet.removeDirectory().start().awaitAllocatable(NIC, 1);
  }

  @Test
  void makesItsSocketAnewWhenItsListIsNotReadAnyMore(TestKubelet kubelet) throws Exception {
    Registered first = kubelet.awaitRegistration(NIC);
    kubelet.awaitAllocatable(NIC, 1).breakList(NIC);
    Registered second = kubelet.awaitRegistration(NIC, 2);
    assertThat(second.socket()).isNotEqualTo(first.socket());
    kubelet.awaitAllocatable(NIC, 1);
    assertThat(Files.exists(first.socket())).isFalse();
  }

  @Test
  void isTakenOffWhenItIsWithdrawn(TestKubelet kubelet) throws Exception {
    kubelet.awaitAllocatable(NIC, 1);
    host.ifPresent(PluginHost::close);
    kubelet.awaitAllocatable(NIC, 0);
    assertThat(kubelet.capacity()).containsEntry(NIC, 1L);
  }

  private record Nics(DeviceFeed devices) implements DevicePlugin {
    @Override
    public ContainerEdits allocate(List<DeviceId> ids) {
      return ContainerEdits.ofEnv("NICS", ids.toString());
    }
  }
}
