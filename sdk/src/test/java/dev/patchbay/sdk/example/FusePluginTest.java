package dev.patchbay.sdk.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.model.*;
import dev.patchbay.sdk.*;
import dev.patchbay.testkit.*;
import java.time.Duration;
import org.junit.jupiter.api.*;

/** The plugin of the README, under everything that a kubelet does to plugins. */
@EmbeddedKubelet
final class FusePluginTest {
  private static final String FUSE = "example.com/fuse";

  private final DeviceFeed feed = DeviceFeed.of(Device.healthy("fuse-0"), Device.healthy("fuse-1"));
  private PluginHost host;

  @BeforeEach
  void serve(TestKubelet kubelet) {
    host = PluginHost.start(PluginHostConfig.of(kubelet.directory()));
    host.serve(ResourceName.of(FUSE), new FusePlugin(feed));
  }

  @AfterEach
  void close() {
    host.close();
  }

  @Test
  void aContainerGetsTheDeviceNode(TestKubelet kubelet) throws Exception {
    kubelet.awaitAllocatable(FUSE, 2);
    var granted = kubelet.allocate(FUSE, 1);
    assertThat(granted.devices()).hasSize(1);
    assertThat(granted.edits().deviceNodes())
        .containsExactly(new ContainerEdits.DeviceNode("/dev/fuse", "/dev/fuse", "rw"));
  }

  @Test
  void aThirdContainerIsRefused(TestKubelet kubelet) throws Exception {
    kubelet.awaitAllocatable(FUSE, 2).allocate(FUSE, 2);
    var pod =
        """
        apiVersion: v1
        kind: Pod
        metadata:
          name: late
        spec:
          containers:
            - name: main
              image: busybox
              resources:
                limits:
                  example.com/fuse: 1
        """;
    assertThat(kubelet.admit(pod).orElseThrow().message()).contains("Requested: 1, Available: 0");
  }

  @Test
  void aBrokenDeviceIsNotGiven(TestKubelet kubelet) throws Exception {
    kubelet.awaitAllocatable(FUSE, 2);
    feed.publish(
        DeviceList.of(
            Device.healthy("fuse-0").with(Health.unhealthy("it fell down")),
            Device.healthy("fuse-1")));
    kubelet.awaitList(FUSE, "fuse-0=Unhealthy", "fuse-1=Healthy").awaitAllocatable(FUSE, 1);
    assertThat(kubelet.allocate(FUSE, 1).devices()).containsExactly("fuse-1");
    assertThat(kubelet.received().healthChanges(FUSE))
        .containsExactly(new Received.HealthChange("fuse-0", "Healthy", "Unhealthy"));
  }

  @Test
  void itComesBackAfterWhateverHappensToTheKubelet(TestKubelet kubelet) throws Exception {
    kubelet.awaitRegistration(FUSE);
    kubelet.restart().awaitRegistration(FUSE, 2);
    kubelet.awaitAllocatable(FUSE, 2).breakList(FUSE).awaitRegistration(FUSE, 3);
    kubelet.removeDirectory().start().awaitRegistration(FUSE, 4);
    kubelet.kill();
    kubelet.start().awaitRegistration(FUSE, 5);
    kubelet.leave(WrongSocket.FILE).start().awaitRegistration(FUSE, 6);
    kubelet.awaitAllocatable(FUSE, 2);
  }

  @Test
  void itAsksAgainWhenItIsRefused(TestKubelet kubelet) throws Exception {
    kubelet.refuseRegistrations("not now").restart().awaitRefusals(FUSE, 2);
    kubelet.slowDown(Duration.ofMillis(200)).acceptRegistrations();
    kubelet.awaitAllocatable(FUSE, 2);
    assertThat(kubelet.received().refusals())
        .allSatisfy(refusal -> assertThat(refusal.why()).isEqualTo("not now"));
  }

  @Test
  void itSpeaksWithAnOldKubelet(@EmbeddedKubelet(value = "old", apis = "v1alpha2") TestKubelet old)
      throws Exception {
    try (var second = PluginHost.start(PluginHostConfig.of(old.directory()))) {
      second.serve(ResourceName.of(FUSE), new FusePlugin(feed));
      assertThat(old.awaitRegistration(FUSE).api()).isEqualTo("v1alpha2");
      old.awaitAllocatable(FUSE, 2);
      assertThat(old.allocate(FUSE, 1).edits().deviceNodes()).hasSize(1);
    }
  }
}
