package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.NIC;
import static dev.patchbay.kubelet.Pods.container;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.Pods.sidecar;
import static dev.patchbay.kubelet.ScriptedPlugin.device;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.pods.PodSpec.DraBacked;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which pods are admitted, with which devices.
class AllocationTest {
  @AutoClose private final KubeletSide kubelet = KubeletSide.started();

  @Test
  void eachContainerGetsItsDevicesInOneCallOfItsOwn() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b", "c");

    kubelet.admit(pod("p", List.of(), container("one", 2), container("two", 1)));

    assertThat(kubelet.held("p", "one", GPU)).isEqualTo("[a, b]");
    assertThat(kubelet.held("p", "two", GPU)).isEqualTo("[c]");
    assertThat(plugin.calls())
        .containsExactly(
            "GetDevicePluginOptions", "ListAndWatch", "Allocate [a, b]", "Allocate [c]");
  }

  @ParameterizedTest(name = "{0} {1}: {2}")
  @CsvSource({
    "1.34, DRAExtendedResource=true, [a]",
    "1.35, ResourceHealthStatus=true, [a]",
    "1.35, DRAExtendedResource=true, []",
    "1.36, ResourceHealthStatus=true, []",
    "1.36, DRAExtendedResource=false, [a]"
  })
  void wherePluginsGiveDevicesAlthoughADynamicResourceStandsForThem(
      String minor, String gate, String held) throws Exception {
    kubelet.restartWith(settings ->
        settings
            .withMinor(KubernetesMinor.of(minor).orElseThrow())
            .withFeatureGates(
                new TreeMap<>(
                    Map.of(gate.substring(0, gate.indexOf('=')), gate.endsWith("true")))));
    kubelet.registered(GPU, "a");

    kubelet.admit(pod("p", 1).withDynamicResources(List.of(), Set.of(new DraBacked("main", GPU))));

    assertThat(kubelet.held("p", "main", GPU)).isEqualTo(held);
  }

  @Test
  void refusesAResourceThatNoPluginEverRegistered() {
    kubelet.registered(NIC, "nic-0");

    assertThat(kubelet.refusal(pod("p", 2)))
        .isEqualTo(
            "OutOfvendor.example/gpu: Node didn't have enough resource: vendor.example/gpu,"
                + " requested: 2, used: 0, capacity: 0");
    assertNothingHeldBy("p");
  }

  @Test
  void refusesAResourceWhosePluginHasNotListedYet() {
    assertThat(kubelet.plugin("gpu.sock").register(GPU)).isEmpty();

    assertThat(kubelet.refusal(pod("p", 1))).startsWith("OutOfvendor.example/gpu: ");
  }

  /// Whether there is room is looked at last.
  @Test
  void aPodThatDoesNotFitHasHadItsDevicesAndHasThemNoMore() throws Exception {
    kubelet.restartWith(usual -> usual.withNodeAllocatable(new TreeMap<>(Map.of("pods", 1L))));
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b");
    kubelet.admit(pod("p", 1));

    assertThat(kubelet.refusal(pod("q", 1))).startsWith("OutOfpods: ");

    assertThat(plugin.calls()).endsWith("Allocate [a]", "Allocate [b]");
    assertNothingHeldBy("q");
    assertThat(kubelet.restart().held()).as("in the checkpoint too").containsOnlyKeys("p");
  }

  @Test
  void noneOfAResourceThatNobodyKnowsIsNothingToRefuse() {
    kubelet.admit(pod("p", 0));

    assertNothingHeldBy("p");
  }

  @Test
  void refusesMoreThanThereIs() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b");

    assertThat(kubelet.refusal(pod("p", 3)))
        .isEqualTo(
            "UnexpectedAdmissionError: Allocate failed due to requested number of devices"
                + " unavailable for vendor.example/gpu. Requested: 3, Available: 2, which is"
                + " unexpected");
    assertNothingHeldBy("p");
    assertThat(plugin.calls()).noneMatch(call -> call.startsWith("Allocate"));
  }

  @Test
  void refusesWhatNoNumberOfDevicesCouldBe() {
    kubelet.registered(GPU, "a");

    assertThat(kubelet.refusal(pod("p", Long.MAX_VALUE)))
        .contains("Requested: 9223372036854775807, Available: 1");
  }

  @Test
  void neverGivesADeviceThatAnotherContainerHolds() {
    kubelet.registered(GPU, "a", "b");
    kubelet.admit(pod("first", 1));

    assertThat(kubelet.refusal(pod("second", 2))).contains("Requested: 2, Available: 1");
    kubelet.admit(pod("third", 1));

    assertThat(kubelet.held("first", "main", GPU)).isEqualTo("[a]");
    assertThat(kubelet.held("third", "main", GPU)).isEqualTo("[b]");
    assertThat(kubelet.refusal(pod("fourth", 1))).contains("Requested: 1, Available: 0");
  }

  @Test
  void whatAPodHeldIsFreeAfterItsEnd() {
    kubelet.registered(GPU, "a");
    kubelet.admit(pod("first", 1));

    kubelet.manager().release("first");
    kubelet.admit(pod("second", 1));

    assertThat(kubelet.held("second", "main", GPU)).isEqualTo("[a]");
    assertNothingHeldBy("first");
  }

  @Test
  void aRefusedContainerLeavesNothingToTheOthersOfItsPod() {
    kubelet.registered(GPU, "a", "b");

    assertThat(kubelet.refusal(pod("p", List.of(), container("one", 1), container("two", 2))))
        .contains("Requested: 2, Available: 1");

    assertNothingHeldBy("p");
    kubelet.admit(pod("next", 2));
  }

  @Test
  void neverGivesAnUnhealthyDevice() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b");
    plugin.list(device("a", "Unhealthy"), device("b"));
    kubelet.awaitAllocatable(GPU, 1);

    kubelet.admit(pod("p", 1));

    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[b]");
    assertThat(kubelet.refusal(pod("q", 1))).contains("Requested: 1, Available: 0");
  }

  @Test
  void askingAgainKeepsWhatThePodHas() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b");
    kubelet.admit(pod("p", 1));

    kubelet.admit(pod("p", 1));

    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[a]");
    assertThat(plugin.calls()).containsOnlyOnce("Allocate [a]");
  }

  @Test
  void refusesAPodThatChangedItsRequest() {
    kubelet.registered(GPU, "a", "b");
    kubelet.admit(pod("p", 1));

    assertThat(kubelet.refusal(pod("p", 2)))
        .isEqualTo(
            "UnexpectedAdmissionError: Allocate failed due to pod \"p\" container \"main\" changed"
                + " request for resource \"vendor.example/gpu\" from 1 to 2, which is unexpected");
  }

  @Test
  void refusesAPodWhoseDeviceBroke() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b");
    kubelet.admit(pod("p", 1));
    plugin.list(device("a", "Unhealthy"), device("b"));
    kubelet.awaitAllocatable(GPU, 1);

    assertThat(kubelet.refusal(pod("p", 1)))
        .contains(
            "previously allocated devices are no longer healthy; cannot allocate unhealthy devices"
                + " vendor.example/gpu");
  }

  @Test
  void devicesOfInitContainersGoToTheContainersAfterThem() {
    kubelet.registered(GPU, "a", "b", "c");

    kubelet.admit(
        pod(
            "p",
            List.of(container("first", 2), container("second", 3)),
            container("one", 1),
            container("two", 2)));

    assertThat(kubelet.held("p", "first", GPU)).isEqualTo("[a, b]");
    assertThat(kubelet.held("p", "second", GPU)).isEqualTo("[a, b, c]");
    assertThat(kubelet.held("p", "one", GPU)).isEqualTo("[a]");
    assertThat(kubelet.held("p", "two", GPU)).isEqualTo("[b, c]");
    assertThat(kubelet.refusal(pod("q", 1))).contains("Available: 0");
  }

  @Test
  void devicesOfASidecarAreItsOwn() {
    kubelet.registered(GPU, "a", "b", "c");

    kubelet.admit(
        pod("p", List.of(container("init", 1), sidecar("side", 2)), container("main", 1)));

    assertThat(kubelet.held("p", "init", GPU)).isEqualTo("[a]");
    assertThat(kubelet.held("p", "side", GPU)).isEqualTo("[a, b]");
    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[c]");
  }

  @Test
  void devicesOfAnotherPodsInitContainerAreNotReused() {
    kubelet.registered(GPU, "a");
    kubelet.admit(pod("p", List.of(container("init", 1))));

    assertThat(kubelet.refusal(pod("q", 1))).contains("Available: 0");
  }

  @Test
  void aContainerCanHaveDevicesOfSeveralPlugins() {
    kubelet.registered(GPU, "gpu-0");
    kubelet.registered(NIC, "nic-0", "nic-1");

    kubelet.admit(pod("p", List.of(), container("main", Map.of(GPU, 1L, NIC, 2L), false)));

    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[gpu-0]");
    assertThat(kubelet.held("p", "main", NIC)).isEqualTo("[nic-0, nic-1]");
  }

  @Test
  void theRefusalOfOneResourceGivesTheOtherBack() {
    kubelet.registered(GPU, "gpu-0");
    kubelet.registered(NIC, "nic-0");

    assertThat(
            kubelet.refusal(
                pod("p", List.of(), container("main", Map.of(GPU, 1L, NIC, 2L), false))))
        .contains("unavailable for vendor.example/nic. Requested: 2, Available: 1");

    assertNothingHeldBy("p");
    kubelet.admit(pod("q", List.of(), container("main", Map.of(GPU, 1L, NIC, 1L), false)));
  }

  private void assertNothingHeldBy(String pod) {
    assertThat(kubelet.manager().held()).doesNotContainKey(pod);
  }
}
