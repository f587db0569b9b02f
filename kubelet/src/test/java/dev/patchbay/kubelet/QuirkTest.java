package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.container;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.ScriptedPlugin.answer;
import static dev.patchbay.kubelet.ScriptedPlugin.device;
import static dev.patchbay.kubelet.ScriptedPlugin.fail;
import static dev.patchbay.kubelet.ScriptedPlugin.hang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.TopologySettings;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a plugin lives through with a defect of upstream's, and without it.
class QuirkTest {
  @AutoClose private final KubeletSide kubelet = KubeletSide.impatient();

  private void restart(Quirk quirk, boolean imitated) {
    kubelet.restartWith(settings -> settings.withQuirks(imitated ? Set.of(quirk) : Set.of()));
  }

  @ParameterizedTest
  @EnumSource
  void eachHasANameForOptions(Quirk quirk) {
    assertThat(quirk.toString()).matches("[a-z]+(-[a-z]+)+");
    assertThat(Quirk.of(quirk.toString())).contains(quirk);
    assertThat(Quirk.of(quirk.name())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anOldPluginsEndTakesItsSuccessorWithIt(boolean imitated) {
    restart(Quirk.OLD_PLUGINS_END_THE_NEWEST, imitated);
    ScriptedPlugin old = kubelet.registered(GPU, "a", "b");
    ScriptedPlugin newer = kubelet.plugin("newer.sock").list("a", "b", "c");
    assertThat(newer.register(GPU)).isEmpty();
    kubelet.awaitAllocatable(GPU, 3);

    old.endStreams();

    if (imitated) {
      kubelet.awaitAllocatable(GPU, 0);
      assertThat(kubelet.counts(GPU)).isEqualTo("3/0");
      assertThat(newer.register(GPU)).isEmpty();
      kubelet.awaitAllocatable(GPU, 3);
    } else {
      newer.list("a", "b", "c", "d");
      kubelet.awaitAllocatable(GPU, 4);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aBrokenDeviceOfAnInitContainerIsHandedOn(boolean imitated) {
    restart(Quirk.INIT_CONTAINERS_HAND_ON_BROKEN_DEVICES, imitated);
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b");
    plugin.allocate =
        (request, observer) -> {
          if (plugin.calls().stream().filter(call -> call.startsWith("Allocate")).count() == 1) {
            plugin.list(device("a", "Unhealthy"), device("b"));
            kubelet.awaitAllocatable(GPU, 1);
          }
          ScriptedPlugin.<AllocateRequest, AllocateResponse>answer(ScriptedPlugin.edits(_ -> {}))
              .run(request, observer);
        };

    kubelet.admit(pod("p", List.of(container("init", 1)), container("main", 1)));

    assertThat(plugin.calls()).endsWith("Allocate [a]", imitated ? "Allocate [a]" : "Allocate [b]");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void devicesAreLostWithAPreferenceThatFails(boolean imitated) {
    kubelet.restartWith(settings ->
        settings
            .withTopology(
                TopologySettings.of("best-effort", "container"), NumaMachine.regular(2, 1, 1 << 30))
            .withQuirks(imitated ? Set.of(Quirk.FAILED_PREFERENCES_KEEP_DEVICES) : Set.of()));
    ScriptedPlugin plugin =
        kubelet.plugin("gpu.sock").list(device("a", 0), device("b", 0), device("c"), device("d"));
    plugin.options =
        answer(DevicePluginOptions.newBuilder().setGetPreferredAllocationAvailable(true).build());
    plugin.preferred = fail(Status.INTERNAL);
    assertThat(plugin.register(GPU)).isEmpty();
    kubelet.awaitAllocatable(GPU, 4);

    assertThat(kubelet.refusal(pod("p", 3))).contains("GetPreferredAllocation rpc failed");
    plugin.preferred = answer(ScriptedPlugin.prefer());

    if (imitated) {
      assertThat(kubelet.refusal(pod("q", 3))).contains("Requested: 3, Available: 2");
      kubelet.admit(pod("r", 2));
      kubelet.manager().release("r");
      kubelet.admit(pod("s", 4));
    } else {
      kubelet.admit(pod("q", 4));
    }
  }

  @Test
  void anEndpointMayLeadOutOfTheDirectory() throws IOException {
    Path elsewhere = Files.createDirectory(kubelet.directory().resolveSibling("elsewhere"));
    try (var plugin = new ScriptedPlugin(elsewhere, "gpu.sock")) {
      plugin.open().list("a");
      var registrar = new ScriptedPlugin(kubelet.directory(), "unused.sock");
      String endpoint = "../elsewhere/gpu.sock";

      restart(Quirk.ENDPOINTS_ARE_NOT_CHECKED, false);
      assertThat(registrar.register("v1beta1", GPU.toString(), endpoint))
          .hasValueSatisfying(
              refused -> assertThat(refused.getDescription()).contains("leads out of"));

      restart(Quirk.ENDPOINTS_ARE_NOT_CHECKED, true);
      assertThat(registrar.register("v1beta1", GPU.toString(), endpoint)).isEmpty();
      kubelet.awaitAllocatable(GPU, 1);
      registrar.close();
    }
  }

  @Test
  void aPluginThatDoesNotAnswerIsAwaitedForEver() throws InterruptedException {
    restart(Quirk.PLUGINS_HAVE_NO_DEADLINE, true);
    ScriptedPlugin plugin = kubelet.registered(GPU, "a");
    plugin.allocate = hang();

    Thread admission = Thread.ofVirtual().start(() -> kubelet.manager().admit(pod("p", 1)));
    assertThat(admission.join(Duration.ofSeconds(3)))
        .as("ended, after more than the deadline of two seconds")
        .isFalse();

    plugin.close();
    assertThat(admission.join(Duration.ofSeconds(20))).isTrue();
  }
}
