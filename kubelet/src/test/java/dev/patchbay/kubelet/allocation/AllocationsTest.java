package dev.patchbay.kubelet.allocation;

import static dev.patchbay.kubelet.inventory.DeviceNotation.ids;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class AllocationsTest {
  private static final ResourceName GPU = ResourceName.of("vendor.example/gpu");
  private static final ResourceName NIC = ResourceName.of("vendor.example/nic");
  private static final Allocations.Key MAIN = new Allocations.Key("p", "main", GPU);
  private static final Allocations.Key SIDE = new Allocations.Key("p", "side", GPU);
  private static final Allocations.Key OTHER = new Allocations.Key("q", "main", NIC);

  private final Allocations three =
      Allocations.EMPTY
          .with(OTHER, held("n", "NIC"))
          .with(SIDE, held("b", "SIDE"))
          .with(MAIN, held("a", "MAIN"));

  @Test
  void knowsWhoHoldsWhat() {
    assertThat(three.find(MAIN).orElseThrow().devices()).isEqualTo(ids("a"));
    assertThat(three.find(new Allocations.Key("p", "main", NIC))).isEmpty();
    assertThat(three.devicesOf(GPU)).isEqualTo(ids("a b"));
    assertThat(three.devicesOf(ResourceName.of("x.example/y"))).isEmpty();
  }

  @Test
  void aChangeLeavesTheOldTableAsItWas() {
    Allocations changed = three.with(MAIN, held("c", "MAIN"));

    assertThat(three.devicesOf(GPU)).isEqualTo(ids("a b"));
    assertThat(changed.devicesOf(GPU)).isEqualTo(ids("b c"));
    assertThat(changed.held()).hasSize(3);
  }

  @Test
  void takesAwayWhatMatches() {
    assertThat(three.without(key -> key.podUid().equals("p")).held()).containsOnlyKeys(OTHER);
    assertThat(three.without(_ -> false)).isSameAs(three);
  }

  @Test
  void answersComeInTheOrderOfTheResources() {
    Allocations both =
        Allocations.EMPTY
            .with(new Allocations.Key("p", "main", NIC), held("n", "NIC"))
            .with(MAIN, held("a", "GPU"))
            .with(SIDE, held("b", "SIDE"))
            .with(
                new Allocations.Key("p", "main", ResourceName.of("z.example/z")),
                new Allocations.Held(new TreeMap<>(), Optional.empty()));

    assertThat(both.answersFor("p", "main"))
        .containsExactly(ContainerEdits.ofEnv("GPU", "1"), ContainerEdits.ofEnv("NIC", "1"));
  }

  @Test
  void aDeviceOnTwoNodesIsOneDevice() {
    var byNode = new TreeMap<Integer, SortedSet<DeviceId>>();
    byNode.put(0, ids("a b"));
    byNode.put(1, ids("b"));

    assertThat(new Allocations.Held(byNode, Optional.empty()).devices()).isEqualTo(ids("a b"));
  }

  private static Allocations.Held held(String ids, String variable) {
    return new Allocations.Held(
        new TreeMap<>(Map.of(-1, ids(ids))), Optional.of(ContainerEdits.ofEnv(variable, "1")));
  }
}
