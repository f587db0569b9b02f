package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.container;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.ScriptedPlugin.device;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.kubelet.metrics.CountedEvents;
import dev.patchbay.kubelet.metrics.KubeletMetrics;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.NumaMask;
import dev.patchbay.kubelet.topology.TopologyHint;
import dev.patchbay.kubelet.topology.TopologySettings;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Pods under a topology manager, on a machine with two NUMA nodes.
class TopologyAdmissionTest {
  private static final ResourceName NIC = ResourceName.of("vendor.example/nic");
  private static final String NO_PLACE =
      "TopologyAffinityError: Resources cannot be allocated with Topology locality";

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
  void twoResourcesOfAContainerLieTogether() {
    startWith("best-effort", "container");
    gpus("a0 b1 c1");
    nics("x0 y1");
    kubelet.admit(pod("first", List.of(), container("main", Map.of(GPU, 1L), false)));

    kubelet.admit(pod("p", List.of(), container("main", Map.of(GPU, 1L, NIC, 1L), false)));

    assertThat(kubelet.held("first", "main", GPU)).isEqualTo("[a0]");
    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[b1]");
    assertThat(kubelet.held("p", "main", NIC)).isEqualTo("[y1]");
    assertThat(kubelet.manager().affinity("p", "main"))
        .isEqualTo(TopologyHint.preferred(NumaMask.of(1)));
  }

  @Test
  void aStrictPolicyRefusesWhatDoesNotLieTogetherAndTakesNothing() {
    startWith("single-numa-node", "container");
    gpus("a0 b1");

    assertThat(kubelet.refusal(pod("p", 2))).isEqualTo(NO_PLACE);
    assertThat(kubelet.manager().held()).isEmpty();
    kubelet.admit(pod("q", 1));
  }

  @Test
  void whatCouldHaveBeenNarrowerIsRefusedWhereOnlyPreferredPlacesCount() {
    startWith("restricted", "container");
    gpus("a0 b0 c1 d1");
    kubelet.admit(pod("first", 1));
    kubelet.admit(pod("second", 1));

    kubelet.admit(pod("third", 2));

    assertThat(kubelet.held("third", "main", GPU)).isEqualTo("[c1, d1]");
    kubelet.manager().release("first");
    kubelet.manager().release("third");
    kubelet.admit(pod("fourth", List.of(), container("main", 1)));
    kubelet.admit(pod("fifth", List.of(), container("main", 1)));
    assertThat(kubelet.refusal(pod("sixth", 2))).isEqualTo(NO_PLACE);
  }

  @Test
  void inThePodScopeAllContainersShareTheirPlace() {
    startWith("best-effort", "pod");
    gpus("a0 b0 c1 d1 e1");

    kubelet.admit(pod("p", List.of(), container("one", 2), container("two", 1)));

    assertThat(kubelet.held("p", "one", GPU)).isEqualTo("[c1, d1]");
    assertThat(kubelet.held("p", "two", GPU)).isEqualTo("[e1]");
    assertThat(kubelet.manager().affinity("p", "two"))
        .isEqualTo(TopologyHint.preferred(NumaMask.of(1)));
  }

  @Test
  void inThePodScopeAnAppContainerTakesOverWhatAnInitContainerHad() {
    startWith("single-numa-node", "pod");
    gpus("a0 b1 c1");

    kubelet.admit(pod("p", List.of(container("init", 2)), container("main", 1)));

    assertThat(kubelet.held("p", "init", GPU)).isEqualTo("[b1, c1]");
    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[b1]");
  }

  @ParameterizedTest
  @CsvSource({"container, container, 2, 1", "pod,       pod,       0, 1"})
  void whatWasAlignedBeforeTheRefusalIsCounted(
      String scope, String counted, long aligned, long failed) {
    var metrics = new KubeletMetrics();
    UnaryOperator<KubeletSettings> strict = with("single-numa-node", scope);
    kubelet.restartWith(
        strict,
        new CountedEvents(
            metrics, strict.apply(KubeletSettings.of(kubelet.directory())), KubeletEvents.NONE));
    gpus("a0 b1 c1 d1");

    assertThat(
            kubelet.refusal(
                pod("p", List.of(), container("one", 1), container("two", 1), container("no", 4))))
        .isEqualTo(NO_PLACE);

    String line =
        "kubelet_container_aligned_compute_resources_%s{scope=\""
            + counted
            + "\",boundary=\"numa_node\"} %d";
    assertThat(metrics.text())
        .contains(line.formatted("count", aligned), line.formatted("failure_count", failed))
        .contains("kubelet_topology_manager_admission_errors_total 1");
  }

  @Test
  void askingAgainKeepsThePlace() {
    startWith("single-numa-node", "container");
    gpus("a0 b1");
    kubelet.admit(pod("p", 1));
    String held = kubelet.held("p", "main", GPU);

    kubelet.admit(pod("p", 1));

    assertThat(kubelet.held("p", "main", GPU)).isEqualTo(held);
  }

  @Test
  void hintsNameThePlacesAndWhetherTheyAreTheNarrowest() {
    startWith("best-effort", "container");
    gpus("a0 b1 c1");
    var pod = pod("p", 2);

    assertThat(kubelet.manager().hints(pod, pod.containers().getFirst()))
        .containsOnly(
            Map.entry(
                GPU.toString(),
                Optional.of(
                    List.of(
                        TopologyHint.preferred(NumaMask.of(1)),
                        TopologyHint.possible(NumaMask.of(0, 1))))));
    assertThat(kubelet.manager().podHints(pod)).containsKey(GPU.toString());
    assertThat(kubelet.manager().affinity("p", "main")).isEqualTo(TopologyHint.NONE);
  }

  @Test
  void aPodThatIsReleasedHasNoPlaceAnyMore() {
    startWith("best-effort", "container");
    gpus("a0 b1");
    kubelet.admit(pod("p", 1));

    kubelet.manager().release("p");

    assertThat(kubelet.manager().affinity("p", "main")).isEqualTo(TopologyHint.NONE);
  }

  @Test
  void aPolicyThatNobodyKnowsIsToldBeforeAnythingStarts() {
    assertThatThrownBy(() -> startWith("best", "container"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("unknown policy: \"best\"");
  }

  private void startWith(String policy, String scope) {
    kubelet.restartWith(with(policy, scope));
  }

  private static UnaryOperator<KubeletSettings> with(String policy, String scope) {
    return usual ->
        usual.withTopology(TopologySettings.of(policy, scope), NumaMachine.regular(2, 1, 1));
  }

  /// Devices whose last letter is their NUMA node.
  private void gpus(String ids) {
    register(GPU, ids);
  }

  private void nics(String ids) {
    register(NIC, ids);
  }

  private void register(ResourceName resource, String ids) {
    String[] all = ids.split(" ", -1);
    ScriptedPlugin plugin = kubelet.registered(resource, "starting");
    var devices = new dev.patchbay.proto.deviceplugin.v1beta1.Device[all.length];
    for (int i = 0; i < all.length; i++)
      devices[i] = device(all[i], all[i].charAt(all[i].length() - 1) - '0');
    plugin.list(devices);
    kubelet.awaitAllocatable(resource, all.length);
  }
}
