package dev.patchbay.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.Health;
import dev.patchbay.model.ResourceName;
import dev.patchbay.sdk.DeviceFeed;
import dev.patchbay.sdk.DevicePlugin;
import dev.patchbay.sdk.PluginHost;
import dev.patchbay.sdk.PluginHostConfig;
import dev.patchbay.sdk.PreStart;
import dev.patchbay.testkit.EmbeddedKubelet;
import dev.patchbay.testkit.Received.Asked;
import dev.patchbay.testkit.Received.Registered;
import dev.patchbay.testkit.TestKubelet;
import dev.patchbay.testkit.WrongSocket;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a test tells the kubelet of the test kit, and what it says then.
@EmbeddedKubelet
final class TestKubeletTest {
  private static final String NIC = "vendor.example/nic";

  private Optional<PluginHost> host = Optional.empty();

  @BeforeEach
  void serve(TestKubelet kubelet) {
    var usual = PluginHostConfig.of(kubelet.directory());
    var started =
        PluginHost.start(
            new PluginHostConfig(
                usual.kubeletDir(),
                usual.ways(),
                Duration.ofSeconds(5),
                usual.listTimeout(),
                Duration.ofMillis(20),
                Duration.ofMillis(200),
                usual.rescanEvery()));
    host = Optional.of(started);
    started.serve(ResourceName.of(NIC), new Nics(DeviceFeed.of(Device.healthy("a"))));
  }

  @AfterEach
  void close() {
    host.ifPresent(PluginHost::close);
  }

  @ParameterizedTest
  @EnumSource
  void leavesSomethingElseInThePlaceOfItsSocket(WrongSocket wrong, TestKubelet kubelet)
      throws Exception {
    kubelet.awaitRegistration(NIC);
    kubelet.leave(wrong);
    assertThat(kubelet.devicePluginDir().resolve("kubelet.sock")).exists();
    kubelet.start().awaitRegistration(NIC, 2);
    kubelet.awaitAllocatable(NIC, 1);
  }

  @Test
  void holdsRegistrationsBackUntilItAcceptsThem(TestKubelet kubelet) throws Exception {
    kubelet.awaitRegistration(NIC);
    kubelet.slowDown(Duration.ofDays(1)).restart();
    assertThat(kubelet.received().registrations(NIC)).hasSize(1);
    kubelet.acceptRegistrations().awaitRegistration(NIC, 2);
  }

  @Test
  @EmbeddedKubelet(topologyPolicy = "single-numa-node", numaNodes = 2)
  void refusesDevicesThatDoNotLieTogether(TestKubelet kubelet) throws Exception {
    String gpu = "vendor.example/gpu";
    host.orElseThrow()
        .serve(
            ResourceName.of(gpu),
            new Nics(DeviceFeed.of(onNode("a", 0), onNode("b", 1), onNode("c", 1))));
    kubelet.awaitAllocatable(gpu, 3);

    assertThat(kubelet.allocate(gpu, 2).devices()).containsExactly("b", "c");
    assertThatThrownBy(() -> kubelet.allocate(gpu, 2))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("TopologyAffinityError");
  }

  private static Device onNode(String id, int node) {
    return new Device(DeviceId.of(id), Health.healthy(), new TreeSet<>(List.of(node)));
  }

  @Test
  void remembersWhatThePluginSaidAndWasAsked(TestKubelet kubelet) throws Exception {
    Registered registered = kubelet.awaitRegistration(NIC);
    assertThat(registered.socket()).exists().hasParent(kubelet.devicePluginDir());
    assertThat(registered.api()).isEqualTo("v1beta1");
    assertThat(registered.preStart()).isTrue();
    assertThat(registered.preference()).isFalse();
    kubelet.awaitList(NIC, "a=Healthy").awaitAllocatable(NIC, 1).allocate(NIC, 1);
    assertThat(kubelet.received().calls(NIC))
        .containsExactly(
            new Asked(NIC, "Allocate", List.of("a")),
            new Asked(NIC, "PreStartContainer", List.of("a")));
  }

  @Test
  void podsKeepTheirDevicesOverItsRestart(TestKubelet kubelet) throws Exception {
    var granted = kubelet.awaitAllocatable(NIC, 1).allocate(NIC, 1);
    kubelet.restart().awaitAllocatable(NIC, 1);
    assertThat(kubelet.held(granted.pod(), "main", NIC)).containsExactly("a");
    assertThatThrownBy(() -> kubelet.allocate(NIC, 1))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("Requested: 1, Available: 0");
    kubelet.release(granted.pod());
    assertThat(kubelet.allocate(NIC, 1).devices()).containsExactly("a");
  }

  @ParameterizedTest
  @ValueSource(strings = {"v1alpha2", "0.1"})
  void isOldWhenItSpeaksAnOldApiAlone(String api, TestKubelet modern) throws Exception {
    try (var old = TestKubelet.making().apis(api).make().start();
        var second = PluginHost.start(PluginHostConfig.of(old.directory()))) {
      second.serve(ResourceName.of(NIC), new Nics(DeviceFeed.of(Device.healthy("b"))));
      assertThat(old.awaitRegistration(NIC).api()).isEqualTo(api);
      assertThat(old.awaitAllocatable(NIC, 1).allocate(NIC, 1).edits().env())
          .containsEntry("NICS", "[b]");
    }
    assertThat(modern.awaitRegistration(NIC).api()).isEqualTo("v1beta1");
  }

  @Test
  void saysWhatIsThereWhenSomethingIsMissing(TestKubelet kubelet) throws Exception {
    kubelet.awaitAllocatable(NIC, 1);
    assertThatThrownBy(() -> kubelet.breakList("vendor.example/gpu"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("no plugin of vendor.example/gpu is connected")
        .hasMessageContaining(NIC);
    kubelet.stop();
    assertThatThrownBy(kubelet::allocatable).hasMessage("the kubelet does not run");
  }

  @Test
  void leavesNothingBehind() throws Exception {
    TestKubelet kubelet = TestKubelet.making().make().start();
    assertThat(Files.isDirectory(kubelet.pluginsRegistryDir())).isTrue();
    kubelet.close();
    kubelet.close();
    assertThat(kubelet.directory()).doesNotExist();
  }

  private record Nics(DeviceFeed devices) implements DevicePlugin, PreStart {
    @Override
    public ContainerEdits allocate(List<DeviceId> ids) {
      return ContainerEdits.ofEnv("NICS", ids.toString());
    }

    @Override
    public void preStart(List<DeviceId> ids) {}
  }
}
