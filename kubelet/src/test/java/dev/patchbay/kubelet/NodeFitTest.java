package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.container;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.Pods.sidecar;
import static dev.patchbay.kubelet.inventory.DeviceNotation.devices;
import static dev.patchbay.kubelet.inventory.DeviceNotation.ids;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.allocation.Allocations;
import dev.patchbay.kubelet.inventory.Inventory;
import dev.patchbay.kubelet.pods.NativeResources;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.DraBacked;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class NodeFitTest {
  private static final Inventory TWO =
      Inventory.EMPTY.connected(GPU, 1, false).listed(GPU, 1, devices("a b !c"));
  private static final DeviceState NOBODY = new DeviceState(TWO, Allocations.EMPTY);

  private UnknownResources unknown = UnknownResources.IGNORE;
  private Map<String, Long> node = Map.of();

  @Test
  void othersCountWithAllThatTheyAskFor() {
    assertThat(refusal(NOBODY, pod("p", 1), pod("q", 1))).isEmpty();
    assertThat(refusal(NOBODY, pod("p", 2), pod("q", 1)))
        .contains(
            "OutOf%1$s: Node didn't have enough resource: %1$s, requested: 2, used: 1, capacity: 2"
                .formatted(GPU));
  }

  @Test
  void whatAPodHoldsAlreadyIsNotTooMuchForANodeWhoseNumbersLag() {
    Allocations held =
        Allocations.EMPTY
            .with(new Allocations.Key("p", "main", GPU), share("a b"))
            .with(new Allocations.Key("q", "main", GPU), share("c"));
    var state = new DeviceState(TWO, held);

    assertThat(refusal(state, pod("p", 2), pod("q", 1))).isEmpty();
    assertThat(refusal(state, pod("r", 2), pod("q", 1))).isPresent();
  }

  /// As after a restart long after its plugin went away.
  @Test
  void whatAPodHoldsOfAResourceThatTheNodeDoesNotShowIsThere() {
    var held =
        new DeviceState(
            Inventory.EMPTY,
            Allocations.EMPTY.with(new Allocations.Key("p", "main", GPU), share("a b")));
    unknown = UnknownResources.REFUSE;

    assertThat(refusal(held, pod("p", 2))).isEmpty();
    assertThat(refusal(held, pod("p", 3)))
        .hasValueSatisfying(text -> assertThat(text).endsWith("used: 0, capacity: 2"));
    assertThat(refusal(held, pod("q", 1)))
        .hasValueSatisfying(text -> assertThat(text).endsWith("used: 0, capacity: 0"));
  }

  @Test
  void aResourceThatTheNodeDoesNotHaveIsIgnoredOrRefused() {
    var empty = new DeviceState(Inventory.EMPTY, Allocations.EMPTY);
    assertThat(refusal(empty, pod("p", 1))).isEmpty();

    unknown = UnknownResources.REFUSE;
    assertThat(refusal(empty, pod("p", 1)))
        .hasValueSatisfying(text -> assertThat(text).endsWith("used: 0, capacity: 0"));
  }

  @Test
  void aResourceThatIsShownWithZeroIsRefused() {
    var failed =
        new DeviceState(
            Inventory.EMPTY.connected(GPU, 1, false).disconnected(GPU, 1, java.time.Instant.EPOCH),
            Allocations.EMPTY);

    assertThat(failed.knows(GPU)).isFalse();
    assertThat(refusal(failed, pod("p", 1)))
        .hasValueSatisfying(text -> assertThat(text).startsWith("OutOf" + GPU));
  }

  @Test
  void whatADynamicResourceStandsForDoesNotCount() {
    PodSpec pod = pod("p", 9).withDynamicResources(List.of(), Set.of(new DraBacked("main", GPU)));

    assertThat(refusal(NOBODY, pod)).isEmpty();
  }

  @Test
  void cpuAndMemoryCountWhereTheNodeSaysWhatItHas() {
    assertThat(refusal(NOBODY, asking("cpu", 3000), asking("cpu", 2000))).isEmpty();

    node = Map.of("cpu", 4000L, "memory", 1L << 30, "pods", 3L);
    assertThat(refusal(NOBODY, asking("cpu", 3000), asking("cpu", 2000)))
        .contains(
            "OutOfcpu: Node didn't have enough resource: cpu, requested: 3000, used: 2000,"
                + " capacity: 4000");
    assertThat(refusal(NOBODY, asking("memory", 1 << 30))).isEmpty();
    assertThat(refusal(NOBODY, pod("p", 0), pod("q", 0), pod("r", 0), pod("s", 0)))
        .contains(
            "OutOfpods: Node didn't have enough resource: pods, requested: 1, used: 3, capacity:"
                + " 3");
  }

  @Test
  void aPodAsksForItsContainersTogetherOrForItsLargestInitContainer() {
    assertThat(asked(pod("p", List.of(container("init", 5)), container("a", 1), container("b", 2))))
        .isEqualTo(5);
    assertThat(asked(pod("p", List.of(container("init", 2)), container("a", 1), container("b", 2))))
        .isEqualTo(3);
    assertThat(asked(pod("p", List.of(sidecar("s", 1), container("init", 2)), container("a", 1))))
        .as("the init container runs beside the sidecar that was started before it")
        .isEqualTo(3);
    assertThat(asked(pod("p", List.of(container("init", 2), sidecar("s", 1)), container("a", 1))))
        .isEqualTo(2);
  }

  private static long asked(PodSpec pod) {
    return PodRequests.of(pod).getOrDefault(GPU.toString(), 0L);
  }

  private static PodSpec asking(String resource, long amount) {
    PodSpec pod = pod("p", 0);
    var resources = new NativeResources(new TreeMap<>(Map.of(resource, amount)), new TreeMap<>());
    return pod(resource, List.of(), pod.containers().getFirst().withResources(resources));
  }

  private Optional<String> refusal(DeviceState state, PodSpec pod, PodSpec... others) {
    return new NodeFit(node, state.inventory().allocatable(), state, unknown)
        .refusal(pod, List.of(others))
        .map(refused -> refused.reason() + ": " + refused.message());
  }

  private static Allocations.Held share(String ids) {
    return new Allocations.Held(new TreeMap<>(Map.of(-1, ids(ids))), Optional.empty());
  }
}
