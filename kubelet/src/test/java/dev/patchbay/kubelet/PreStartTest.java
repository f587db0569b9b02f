package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.container;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.ScriptedPlugin.answer;
import static dev.patchbay.kubelet.ScriptedPlugin.edits;
import static dev.patchbay.kubelet.ScriptedPlugin.fail;
import static dev.patchbay.kubelet.ScriptedPlugin.hang;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import dev.patchbay.proto.deviceplugin.v1beta1.PreStartContainerResponse;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/// A plugin that wants to prepare its devices before each start of a container.
class PreStartTest {
  @AutoClose private final KubeletSide kubelet = KubeletSide.started();
  private final PodSpec pod = pod("p", List.of(container("init", 1)), container("main", 2));

  private ScriptedPlugin preparing(String... ids) {
    return preparing(kubelet, ids);
  }

  private static ScriptedPlugin preparing(KubeletSide kubelet, String... ids) {
    ScriptedPlugin plugin = kubelet.plugin("gpu.sock").list(ids);
    plugin.options = answer(DevicePluginOptions.newBuilder().setPreStartRequired(true).build());
    plugin.preStart = answer(PreStartContainerResponse.getDefaultInstance());
    plugin.allocate = answer(edits(gpu -> gpu.putEnvs("GPU", "yes")));
    assertThat(plugin.register(GPU)).isEmpty();
    kubelet.awaitAllocatable(GPU, ids.length);
    return plugin;
  }

  @Test
  void isCalledAtEachStartOfEachContainerAndNotBefore() throws IOException {
    ScriptedPlugin plugin = preparing("a", "b");
    kubelet.admit(pod);
    assertThat(plugin.calls()).endsWith("Allocate [a]", "Allocate [a, b]").hasSize(4);

    var _ = kubelet.manager().runOptions(pod, "init");
    var _ = kubelet.manager().runOptions(pod, "main");
    assertThat(kubelet.manager().runOptions(pod, "main"))
        .contains(ContainerEdits.ofEnv("GPU", "yes"));

    assertThat(plugin.calls().subList(4, plugin.calls().size()))
        .containsExactly(
            "PreStartContainer [a]", "PreStartContainer [a, b]", "PreStartContainer [a, b]");
  }

  @Test
  void isNotCalledForAContainerWithoutDevices() throws IOException {
    ScriptedPlugin plugin = preparing("a");
    PodSpec none = pod("q", 0);
    kubelet.admit(none);

    assertThat(kubelet.manager().runOptions(none, "main")).isEmpty();

    assertThat(plugin.calls()).noneMatch(call -> call.startsWith("PreStart"));
  }

  @Test
  void anErrorStopsTheStartAndTheNextStartTriesAgain() throws IOException {
    ScriptedPlugin plugin = preparing("a", "b");
    kubelet.admit(pod);
    plugin.preStart = fail(Status.UNKNOWN.withDescription("device busy"));

    assertThatStart()
        .hasMessage(
            "device plugin PreStartContainer rpc failed with err: rpc error: code = Unknown desc ="
                + " device busy");
    assertThat(kubelet.held("p", "main", GPU)).as("held still").isEqualTo("[a, b]");

    plugin.preStart = answer(PreStartContainerResponse.getDefaultInstance());
    assertThat(kubelet.manager().runOptions(pod, "main")).isPresent();
  }

  @Test
  void aPluginThatHangsStopsTheStart() throws IOException {
    try (KubeletSide impatient = KubeletSide.impatient()) {
      ScriptedPlugin plugin = preparing(impatient, "a", "b");
      impatient.admit(pod);
      plugin.preStart = hang();

      assertThatThrownBy(() -> impatient.manager().runOptions(pod, "main"))
          .hasMessageStartingWith(
              "device plugin PreStartContainer rpc failed with err: rpc error: code ="
                  + " DeadlineExceeded");
    }
  }

  @Test
  void aPluginThatDiesStopsTheStart() {
    ScriptedPlugin plugin = preparing("a", "b");
    kubelet.admit(pod);
    plugin.preStart = plugin.die();

    assertThatStart()
        .hasMessageStartingWith("device plugin PreStartContainer rpc failed with err: rpc error: ");
  }

  @Test
  void itIsTheNewestPluginThatWantsItOrNot() throws IOException {
    ScriptedPlugin old = preparing("a", "b");
    kubelet.admit(pod);
    ScriptedPlugin newer = kubelet.plugin("newer.sock");
    assertThat(newer.register(GPU)).isEmpty();

    assertThat(kubelet.manager().runOptions(pod, "main")).isPresent();

    assertThat(old.calls()).noneMatch(call -> call.startsWith("PreStart"));
    assertThat(newer.calls()).noneMatch(call -> call.startsWith("PreStart"));
  }

  @Test
  void theStartWaitsForAPluginThatIsAway() throws IOException {
    ScriptedPlugin plugin = preparing("a", "b");
    kubelet.admit(pod);
    plugin.close();
    kubelet.awaitAllocatable(GPU, 0);

    assertThatStart()
        .hasMessage(
            "device plugin PreStartContainer rpc failed with err: endpoint of vendor.example/gpu"
                + " has been stopped");

    ScriptedPlugin back = preparing("a", "b");
    assertThat(kubelet.manager().runOptions(pod, "main")).isPresent();
    assertThat(back.calls()).contains("PreStartContainer [a, b]");
  }

  /// It comes before what is missing is allocated.
  @Test
  void wherePluginsWantItNothingIsAllocatedAtAStart() {
    ScriptedPlugin plugin = preparing("a", "b");
    kubelet.manager().know(pod);

    assertThatStart()
        .hasMessage(
            "no devices found allocated in local cache for pod p, container main, resource"
                + " vendor.example/gpu");

    assertThat(plugin.calls()).noneMatch(call -> call.startsWith("Allocate"));
    assertThat(kubelet.manager().held()).isEmpty();
  }

  /// The plugin's wish is not in the checkpoint.
  @Test
  void afterARestartItIsNotCalledBeforeThePluginIsBack() throws IOException {
    preparing("a", "b");
    kubelet.admit(pod);
    kubelet.restart();

    assertThat(kubelet.manager().runOptions(pod, "main")).isPresent();

    ScriptedPlugin back = preparing("a", "b");
    assertThat(kubelet.manager().runOptions(pod, "main")).isPresent();
    assertThat(back.calls()).contains("PreStartContainer [a, b]");
  }

  @Test
  void afterTheGraceThereIsNobodyToWaitFor() {
    ScriptedPlugin plugin = preparing("a", "b");
    kubelet.admit(pod);
    plugin.close();
    kubelet.awaitAllocatable(GPU, 0);
    kubelet.clock.advance(Duration.ofMinutes(6));
    assertThat(kubelet.counts(GPU)).isEqualTo("0/0");

    assertThatStart()
        .hasMessage("endpoint not found in cache for a registered resource: vendor.example/gpu");
  }

  private AbstractThrowableAssert<?, ? extends Throwable> assertThatStart() {
    return assertThatThrownBy(() -> kubelet.manager().runOptions(pod, "main"))
        .isInstanceOf(IOException.class);
  }
}
