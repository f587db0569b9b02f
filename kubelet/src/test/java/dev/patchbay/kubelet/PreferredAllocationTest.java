package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.NIC;
import static dev.patchbay.kubelet.Pods.container;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.ScriptedPlugin.answer;
import static dev.patchbay.kubelet.ScriptedPlugin.device;
import static dev.patchbay.kubelet.ScriptedPlugin.fail;
import static dev.patchbay.kubelet.ScriptedPlugin.hang;
import static dev.patchbay.kubelet.ScriptedPlugin.prefer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.TopologySettings;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import dev.patchbay.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import io.grpc.Status;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// What becomes of a plugin's opinion about which devices to give.
class PreferredAllocationTest {
  @AutoClose private final KubeletSide kubelet = KubeletSide.started();

  private ScriptedPlugin opinionated(String... ids) {
    return opinionated(kubelet, ids);
  }

  private static ScriptedPlugin opinionated(KubeletSide kubelet, String... ids) {
    ScriptedPlugin plugin = kubelet.plugin("gpu.sock").list(ids);
    plugin.options =
        answer(DevicePluginOptions.newBuilder().setGetPreferredAllocationAvailable(true).build());
    assertThat(plugin.register(GPU)).isEmpty();
    kubelet.awaitAllocatable(GPU, ids.length);
    return plugin;
  }

  @Test
  void thePluginsChoiceIsTaken() {
    ScriptedPlugin plugin = opinionated("a", "b", "c", "d");
    plugin.preferred = answer(prefer("d", "b"));

    kubelet.admit(pod("p", 2));

    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[b, d]");
    assertThat(plugin.calls())
        .endsWith("GetPreferredAllocation [a, b, c, d] must [] size 2", "Allocate [b, d]");
  }

  @Test
  void onlyFreeDevicesAreOffered() {
    ScriptedPlugin plugin = opinionated("a", "b", "c", "d");
    plugin.preferred = answer(prefer("d"));
    kubelet.admit(pod("p", 1));

    kubelet.admit(pod("q", 1));

    assertThat(plugin.calls()).contains("GetPreferredAllocation [a, b, c] must [] size 1");
    assertThat(kubelet.held("q", "main", GPU))
        .as("the choice of a device that another container holds does not count")
        .isEqualTo("[a]");
  }

  @ParameterizedTest
  @MethodSource("oddChoices")
  void aChoiceThatCannotBeIsCutOrFilledUp(PreferredAllocationResponse choice, String held) {
    opinionated("a", "b", "c", "d").preferred = answer(choice);

    kubelet.admit(pod("p", 2));

    assertThat(kubelet.held("p", "main", GPU)).isEqualTo(held);
  }

  static Stream<Arguments> oddChoices() {
    return Stream.of(
        argumentSet("foreign ids", prefer("x", "y"), "[a, b]"),
        argumentSet("one foreign id", prefer("x", "c"), "[a, c]"),
        argumentSet("too few", prefer("d"), "[a, d]"),
        argumentSet("too many", prefer("d", "c", "b"), "[b, c]"),
        argumentSet("one id twice", prefer("d", "d"), "[a, d]"),
        argumentSet("empty ids", prefer("", " "), "[a, b]"),
        argumentSet("ids that no device can have", prefer("a\nb", "\0", "d"), "[a, d]"),
        argumentSet("no ids", prefer(), "[a, b]"),
        argumentSet("no answer", PreferredAllocationResponse.getDefaultInstance(), "[a, b]"),
        argumentSet(
            "two answers",
            prefer("d", "c").toBuilder().mergeFrom(prefer("a", "b")).build(),
            "[c, d]"));
  }

  @Test
  void whatInitContainersLeftIsInTheOfferAsAMust() {
    ScriptedPlugin plugin = opinionated("a", "b", "c", "d");
    plugin.preferred = answer(prefer("d"));

    kubelet.admit(pod("p", List.of(container("init", 1)), container("main", 2)));

    assertThat(plugin.calls()).contains("GetPreferredAllocation [a, b, c, d] must [d] size 2");
    assertThat(kubelet.held("p", "init", GPU)).isEqualTo("[d]");
    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[a, d]");
  }

  /// What others free while the plugin is asked does not change what it was told.
  @Test
  void whatMustBeIncludedIsKeptThoughThereIsMoreToChooseFromByNow() {
    kubelet.restartWith(PreferredAllocationTest::bestEffort);
    ScriptedPlugin plugin = opinionated("x");
    plugin.preferred = answer(prefer());
    plugin.list(device("a", 1), device("b", 1), device("c", 1), device("d", 0));
    kubelet.awaitAllocatable(GPU, 4);
    kubelet.registered(NIC, "x").list(device("y", 1), device("z", 1));
    kubelet.awaitAllocatable(NIC, 2);
    kubelet.admit(pod("other", 2));
    assertThat(kubelet.held("other", "main", GPU)).isEqualTo("[a, b]");
    plugin.preferred =
        (_, observer) -> {
          kubelet.manager().release("other");
          observer.onNext(prefer("b"));
          observer.onCompleted();
        };

    kubelet.admit(pod("p", List.of(), container("main", Map.of(GPU, 2L, NIC, 1L), false)));

    assertThat(plugin.calls()).contains("GetPreferredAllocation [c, d] must [c] size 2");
    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[a, c]");
  }

  @Test
  void atAStartAPluginThatFailsToSayLeavesNothingReserved() {
    ScriptedPlugin plugin = opinionated("a", "b");
    plugin.preferred = fail(Status.UNKNOWN.withDescription("no idea"));
    kubelet.manager().know(pod("p", 1));

    assertThatThrownBy(() -> kubelet.manager().runOptions(pod("p", 1), "main"))
        .hasMessageStartingWith("device plugin GetPreferredAllocation rpc failed with err: ");

    assertThat(kubelet.manager().held()).isEmpty();
  }

  @Test
  void aPluginWithoutTheOptionIsNotAsked() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b");

    kubelet.admit(pod("p", 1));

    assertThat(plugin.calls()).noneMatch(call -> call.startsWith("GetPreferredAllocation"));
  }

  @Test
  void theChoiceIsAmongTheDevicesNearTheChosenNodes() {
    Kubelet manager = kubelet.restartWith(PreferredAllocationTest::bestEffort);
    ScriptedPlugin plugin = opinionated("x");
    plugin.list(device("a", 0), device("b", 1), device("c", 1), device("d", 1), device("e"));
    kubelet.awaitAllocatable(GPU, 5);
    plugin.preferred = answer(prefer("a", "d"));

    assertThat(manager.admit(pod("p", 2))).isEqualTo(new Admission.Admitted());

    assertThat(plugin.calls()).contains("GetPreferredAllocation [b, c, d] must [] size 2");
    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[b, d]");
  }

  @Test
  void whereAllNearDevicesAreNeededThereIsNothingToAsk() {
    kubelet.restartWith(PreferredAllocationTest::bestEffort);
    ScriptedPlugin plugin = opinionated("x");
    plugin.list(device("a", 0), device("b", 1), device("c", 1));
    kubelet.awaitAllocatable(GPU, 3);

    kubelet.admit(pod("p", 2));

    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[b, c]");
    assertThat(plugin.calls()).noneMatch(call -> call.startsWith("GetPreferredAllocation"));
  }

  @Test
  void anErrorRefusesThePodAndHoldsNothing() {
    ScriptedPlugin plugin = opinionated("a", "b", "c");
    plugin.preferred = fail(Status.UNKNOWN.withDescription("no idea"));

    assertThat(kubelet.refusal(pod("p", 2)))
        .isEqualTo(
            "UnexpectedAdmissionError: Allocate failed due to device plugin GetPreferredAllocation"
                + " rpc failed with err: rpc error: code = Unknown desc = no idea, which is"
                + " unexpected");
    assertThat(kubelet.manager().held()).isEmpty();

    plugin.preferred = answer(prefer("c"));
    kubelet.admit(pod("q", 3));
  }

  @Test
  void aPluginThatHangsRefusesThePodAndHoldsNothing() throws IOException {
    try (KubeletSide impatient = KubeletSide.impatient()) {
      opinionated(impatient, "a", "b", "c").preferred = hang();

      assertThat(impatient.refusal(pod("p", 2)))
          .contains(
              "device plugin GetPreferredAllocation rpc failed with err: rpc error: code ="
                  + " DeadlineExceeded");
      assertThat(impatient.manager().held()).isEmpty();
    }
  }

  private static KubeletSettings bestEffort(KubeletSettings usual) {
    return usual.withTopology(
        TopologySettings.of("best-effort", "container"), NumaMachine.regular(2, 1, 1));
  }
}
