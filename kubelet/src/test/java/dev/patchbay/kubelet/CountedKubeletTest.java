package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.ScriptedPlugin.answer;
import static dev.patchbay.kubelet.ScriptedPlugin.edits;
import static dev.patchbay.kubelet.ScriptedPlugin.fail;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.metrics.CountedEvents;
import dev.patchbay.kubelet.metrics.CountedRegistrations;
import dev.patchbay.kubelet.metrics.KubeletMetrics;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.TopologySettings;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import io.grpc.Status;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/// What a kubelet counts of what plugins and pods do.
class CountedKubeletTest {
  private final KubeletMetrics metrics = new KubeletMetrics();

  @AutoClose
  private final KubeletSide kubelet =
      KubeletSide.startedWith(UnaryOperator.identity(), new CountedRegistrations(metrics));

  private void topology(String policy) {
    UnaryOperator<KubeletSettings> change =
        usual ->
            usual.withTopology(
                TopologySettings.of(policy, "container"), NumaMachine.regular(2, 1, 1));
    kubelet.restartWith(
        change,
        new CountedEvents(metrics, change.apply(kubelet.manager().settings()), KubeletEvents.NONE));
  }

  private void assertCounted(String... lines) {
    assertThat(metrics.text().lines()).contains(lines);
  }

  /// Before it is looked at.
  @Test
  void everyCallOfRegisterIsCounted() {
    ScriptedPlugin plugin = kubelet.plugin("gpu.sock").list("a");

    assertThat(plugin.register("v2", GPU.toString(), "gpu.sock")).isPresent();
    assertThat(plugin.register("v1beta1", "gpu", "gpu.sock")).isPresent();
    assertThat(plugin.register("v1beta1", "", "gpu.sock")).isPresent();
    assertThat(plugin.register("v1beta1", GPU.toString(), "../gpu.sock")).isPresent();
    plugin.options = fail(Status.ABORTED);
    assertThat(plugin.register(GPU)).isPresent();
    plugin.options = answer(DevicePluginOptions.getDefaultInstance());
    assertThat(plugin.register(GPU)).isEmpty();

    assertCounted(
        "kubelet_device_plugin_registration_total{resource_name=\"vendor.example/gpu\"} 4",
        "kubelet_device_plugin_registration_total{resource_name=\"gpu\"} 1",
        "kubelet_device_plugin_registration_total{resource_name=\"\"} 1");
  }

  @Test
  void allocationsThatFailTakeTimeToo() {
    topology("none");
    ScriptedPlugin plugin = kubelet.registered(GPU, "a");
    plugin.allocate = fail(Status.ABORTED);
    assertThat(kubelet.refusal(pod("failed", 1))).contains("Aborted");
    plugin.allocate = answer(AllocateResponse.getDefaultInstance());
    assertThat(kubelet.refusal(pod("empty", 1))).contains("no containers return");
    plugin.allocate = answer(edits(_ -> {}));
    kubelet.admit(pod("p", 1));
    assertThat(kubelet.refusal(pod("too many", 1))).contains("Available: 0");

    assertCounted(
        "kubelet_device_plugin_alloc_duration_seconds_count{resource_name=\"vendor.example/gpu\"} 3",
        "kubelet_admission_rejections_total{reason=\"UnexpectedAdmissionError\"} 3",
        "kubelet_topology_manager_admission_requests_total 4",
        "kubelet_topology_manager_admission_errors_total 0");
  }

  @Test
  void whatATopologyManagerRefusesIsItsError() {
    topology("restricted");
    kubelet.registered(GPU, "a").list(ScriptedPlugin.device("a", 0), ScriptedPlugin.device("b", 1));
    kubelet.awaitAllocatable(GPU, 2);

    assertThat(kubelet.refusal(pod("wide", 3))).startsWith("TopologyAffinityError");
    kubelet.admit(pod("p", 1));

    assertCounted(
        "kubelet_admission_rejections_total{reason=\"TopologyAffinityError\"} 1",
        "kubelet_topology_manager_admission_requests_total 2",
        "kubelet_topology_manager_admission_errors_total 1",
        "kubelet_topology_manager_admission_duration_ms_count 2",
        "kubelet_container_aligned_compute_resources_count{scope=\"container\",boundary=\"numa_node\"} 0");
  }

  @Test
  void aPodForWhichTheNodeHasNoRoomIsCountedByTheKindOfItsResource() {
    topology("none");

    assertThat(kubelet.refusal(pod("p", 1))).startsWith("OutOfvendor.example/gpu");

    assertCounted("kubelet_admission_rejections_total{reason=\"OutOfExtendedResources\"} 1");
  }
}
