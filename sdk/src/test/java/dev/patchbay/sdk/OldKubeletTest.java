package dev.patchbay.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.DeviceList;
import dev.patchbay.model.ResourceName;
import dev.patchbay.testkit.ScriptedKubelet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A plugin speaks with a kubelet of 1.8 or 1.9 in the API of that time.
final class OldKubeletTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final ResourceName NIC = ResourceName.of("vendor.example/nic");

  private Path dir = Path.of("/nonexistent");

  @BeforeEach
  void makeDirectory() throws IOException {
    dir = Files.createTempDirectory(Path.of("/tmp"), "pb");
  }

  @AfterEach
  void removeDirectory() throws IOException {
    try (Stream<Path> tree = Files.walk(dir)) {
      for (Path path : tree.sorted((a, b) -> b.compareTo(a)).toList()) Files.deleteIfExists(path);
    }
  }

  @Test
  void registersWithTheVersionOf19() throws Exception {
    var plugin = new Plugin(ContainerEdits.ofNode("/dev/nic", "rw"));
    try (var kubelet = OldKubelet.start(dir, "v1alpha2");
        var host = PluginHost.start(config())) {
      awaitListed(host.serve(NIC, plugin));
      assertThat(kubelet.refused()).isEmpty();
      assertThat(kubelet.registrations())
          .singleElement()
          .satisfies(request -> {
            assertThat(request.getVersion()).isEqualTo("v1alpha2");
            assertThat(request.getResourceName()).isEqualTo(NIC.toString());
            assertThat(request.getEndpoint()).startsWith("pb-nic-").endsWith(".sock");
          });
      await()
          .untilAsserted(() -> assertThat(kubelet.lists()).containsExactly(List.of("a=Healthy")));
      assertThat(kubelet.allocate("a").getDevicesList())
          .singleElement()
          .satisfies(node -> assertThat(node.getHostPath()).isEqualTo("/dev/nic"));
    }
  }

  @Test
  void registersWithTheVersionOf18AfterThatOf19WasRefused() throws Exception {
    var plugin = new Plugin(ContainerEdits.ofNode("/dev/nic", "rw"));
    try (var kubelet = OldKubelet.start(dir, "0.1");
        var host = PluginHost.start(config())) {
      awaitListed(host.serve(NIC, plugin));
      assertThat(kubelet.refused()).containsExactly("v1alpha2");
      assertThat(kubelet.registrations()).hasSize(1);
      await().until(() -> !kubelet.lists().isEmpty());
      assertThat(kubelet.allocateSpecs("a").getSpecList())
          .singleElement()
          .satisfies(
              spec -> assertThat(spec.getDevices(0).getContainerPath()).isEqualTo("/dev/nic"));
    }
  }

  @Test
  void sendsEachNewListAndRefusesWhatIsNotInIt() throws Exception {
    var plugin = new Plugin(ContainerEdits.NONE);
    try (var kubelet = OldKubelet.start(dir, "v1alpha2");
        var host = PluginHost.start(config())) {
      awaitListed(host.serve(NIC, plugin));
      plugin.devices().publish(DeviceList.of(Device.healthy("a"), Device.healthy("b")));
      await()
          .untilAsserted(
              () -> assertThat(kubelet.lists()).endsWith(List.of("a=Healthy", "b=Healthy")));
      assertThatThrownBy(() -> kubelet.allocate("c"))
          .hasMessageContaining("NOT_FOUND")
          .hasMessageContaining("device c");
    }
  }

  @Test
  void refusesWhatTheOldAnswerCannotSay() throws Exception {
    try (var kubelet = OldKubelet.start(dir, "v1alpha2");
        var host = PluginHost.start(config())) {
      awaitListed(host.serve(NIC, new Plugin(ContainerEdits.ofCdi("vendor.example/nic=a"))));
      await().until(() -> !kubelet.lists().isEmpty());
      assertThatThrownBy(() -> kubelet.allocate("a"))
          .hasMessageContaining("CDI devices [vendor.example/nic=a]");
    }
  }

  @Test
  void speaksTheNewestVersionWithANewKubeletInPlaceOfTheOldOne() throws Exception {
    try (var host = PluginHost.start(config())) {
      ServedPlugin served;
      try (var old = OldKubelet.start(dir, "0.1")) {
        served = host.serve(NIC, new Plugin(ContainerEdits.NONE));
        awaitListed(served);
        assertThat(old.registrations()).hasSize(1);
      }
      try (var kubelet = ScriptedKubelet.in(dir).start()) {
        await()
            .atMost(PATIENCE)
            .untilAsserted(() ->
                assertThat(kubelet.lists().newest(NIC.toString())).containsExactly("a=Healthy"));
        assertThat(kubelet.registrations().getFirst().request().getVersion()).isEqualTo("v1beta1");
      }
    }
  }

  @Test
  void saysWhyWhenNoVersionIsKnown() throws Exception {
    try (var _ = OldKubelet.start(dir, "v2");
        var host = PluginHost.start(config())) {
      ServedPlugin served = host.serve(NIC, new Plugin(ContainerEdits.NONE));
      assertThat(
              served.awaitState(
                  state -> state.toString().contains("requested API version \"0.1\""), PATIENCE))
          .as(() -> served.state().toString())
          .isTrue();
    }
  }

  private PluginHostConfig config() {
    return new PluginHostConfig(
        dir,
        Set.of(PluginHostConfig.Way.KUBELET_SOCK),
        Duration.ofSeconds(5),
        Duration.ofSeconds(5),
        Duration.ofMillis(20),
        Duration.ofMillis(500),
        Duration.ofSeconds(30));
  }

  private static void awaitListed(ServedPlugin served) throws InterruptedException {
    assertThat(served.awaitState(PluginState.Listed.class::isInstance, PATIENCE))
        .as(() -> served.state().toString())
        .isTrue();
  }

  private record Plugin(ContainerEdits edits, DeviceFeed devices) implements DevicePlugin {
    Plugin(ContainerEdits edits) {
      this(edits, DeviceFeed.of(Device.healthy("a")));
    }

    @Override
    public ContainerEdits allocate(List<DeviceId> ids) {
      return edits;
    }
  }
}
