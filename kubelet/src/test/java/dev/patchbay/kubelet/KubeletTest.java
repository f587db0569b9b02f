package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.pod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Pods that the kubelet knows, and what becomes of that which they held.
class KubeletTest {
  private KubeletSide kubelet;

  @BeforeEach
  void start() {
    kubelet = KubeletSide.started();
  }

  @AfterEach
  void stop() throws IOException {
    kubelet.close();
  }

  @Test
  void anEndedPodIsKnownAndHoldsItsDevicesUntilTheNextCollection() {
    kubelet.registered(GPU, "a");
    kubelet.admit(pod("p", 1));

    kubelet.manager().ended("p", PodPhase.SUCCEEDED);

    assertThat(kubelet.manager().pod("p").orElseThrow().isActive()).isFalse();
    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[a]");
    kubelet.manager().collectGarbage();
    assertThat(kubelet.manager().held()).isEmpty();
    assertThat(kubelet.manager().pods()).hasSize(1);
  }

  @Test
  void whatAnEndedPodHeldIsGivenToTheNextPod() {
    kubelet.registered(GPU, "a");
    kubelet.admit(pod("p", 1));
    kubelet.manager().remove("p");

    kubelet.admit(pod("q", 1));

    assertThat(kubelet.manager().held()).containsOnlyKeys("q");
  }

  @Test
  void aPodThatEndedWhileItWasDecidedAboutHasEnded() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a");
    plugin.allocate =
        (_, answer) -> {
          kubelet.manager().ended("p", PodPhase.SUCCEEDED);
          answer.onNext(ScriptedPlugin.edits(_ -> {}));
          answer.onCompleted();
        };

    kubelet.admit(pod("p", 1));

    assertThat(kubelet.manager().pod("p").orElseThrow().phase()).isEqualTo(PodPhase.SUCCEEDED);
    kubelet.manager().collectGarbage();
    assertThat(kubelet.manager().held()).isEmpty();
  }

  /// It reserves again what it had before it was released.
  @Test
  void aPodThatIsGoneWhileItsPluginIsAskedWhatItPrefersHoldsNothing() {
    ScriptedPlugin plugin = kubelet.plugin("gpu.sock").list("a", "b");
    plugin.options =
        ScriptedPlugin.answer(
            DevicePluginOptions.newBuilder().setGetPreferredAllocationAvailable(true).build());
    assertThat(plugin.register(GPU)).isEmpty();
    kubelet.awaitAllocatable(GPU, 2);
    plugin.preferred =
        (_, answer) -> {
          kubelet.manager().release("p");
          answer.onNext(ScriptedPlugin.prefer("b"));
          answer.onCompleted();
        };

    var _ = kubelet.manager().admit(pod("p", 1));

    assertThat(kubelet.manager().held()).isEmpty();
  }

  @Test
  void nothingIsCollectedBeforeAllPodsAreKnown() {
    kubelet.registered(GPU, "a", "b");
    kubelet.admit(pod("p", 1));
    Kubelet restarted = kubelet.restart();
    kubelet.registered(GPU, "a", "b");

    kubelet.admit(pod("q", 1));

    assertThat(restarted.held()).containsOnlyKeys("p", "q");
    restarted.sourcesReady(true);
    restarted.collectGarbage();
    assertThat(restarted.held()).containsOnlyKeys("q");
  }

  @Test
  void aRefusedPodStaysKnownAsFailedWithItsReason() {
    kubelet.registered(GPU, "a");

    String refusal = kubelet.refusal(pod("p", 2));

    KnownPod refused = kubelet.manager().pod("p").orElseThrow();
    assertThat(refused.phase()).isEqualTo(PodPhase.FAILED);
    assertThat(refused.admission())
        .containsInstanceOf(Admission.Refused.class)
        .map(admission -> ((Admission.Refused) admission).reason() + ": ")
        .hasValueSatisfying(reason -> assertThat(refusal).startsWith(reason));
    assertThat(kubelet.manager().activePods()).isEmpty();
  }

  @Test
  void collectedDevicesLeaveTheCheckpointAtOnce() throws IOException {
    kubelet.registered(GPU, "a");
    kubelet.admit(pod("p", 1));
    kubelet.manager().ended("p", PodPhase.FAILED);

    kubelet.manager().collectGarbage();

    assertThat(Files.readString(kubelet.directory().resolve("kubelet_internal_checkpoint")))
        .contains("\"PodDeviceEntries\":null");
  }

  @Test
  void aResourceThatIsGoneIsReportedOnce() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a");
    plugin.close();
    kubelet.awaitAllocatable(GPU, 0);

    assertThat(kubelet.manager().deviceCapacity().removed()).isEmpty();
    assertThat(kubelet.manager().age(GPU, Duration.ofMinutes(6))).isTrue();
    assertThat(kubelet.manager().deviceCapacity().removed()).containsExactly(GPU);
    DeviceCapacity later = kubelet.manager().deviceCapacity();
    assertThat(later.removed()).isEmpty();
    assertThat(later.capacity()).doesNotContainKey(GPU);
    assertThat(kubelet.counts(GPU)).isEqualTo("0/0");
  }

  @Test
  void countsDevicesByTheirState() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b", "c");
    kubelet.admit(pod("p", 1));

    assertThat(kubelet.manager().devices().counts(GPU))
        .contains(new DeviceState.Counts(3, 3, 0, 1, true, false));
    plugin.close();
    kubelet.awaitAllocatable(GPU, 0);
    assertThat(kubelet.manager().devices().counts(GPU))
        .contains(new DeviceState.Counts(3, 0, 3, 1, true, true));
    assertThat(kubelet.manager().devices().counts(ResourceName.of("example.com/none"))).isEmpty();
  }

  @Test
  void theRuntimesOlderContainerCountsOnlyWhereTheVersionLooksAtAll() {
    List<RuntimeContainer> found =
        List.of(
            new RuntimeContainer("p", "main", "1", false),
            new RuntimeContainer("p", "main", "2", true));

    assertThat(
            List.of(KubernetesMinor.values()).stream()
                .filter(minor -> Kubelet.running(found, minor).size() == 1))
        .containsExactly(KubernetesMinor.V1_35, KubernetesMinor.V1_36);
  }
}
