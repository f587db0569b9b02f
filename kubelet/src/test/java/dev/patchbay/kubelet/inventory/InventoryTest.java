package dev.patchbay.kubelet.inventory;

import static dev.patchbay.kubelet.inventory.DeviceNotation.devices;
import static dev.patchbay.kubelet.inventory.DeviceNotation.ids;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.model.ResourceName;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class InventoryTest {
  private static final ResourceName GPU = ResourceName.of("vendor.example/gpu");
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration GRACE = Duration.ofMinutes(5);

  private final Inventory onePlugin =
      Inventory.EMPTY.connected(GPU, 1, false).listed(GPU, 1, devices("a !b"));

  @Test
  void countsWhatWasListed() {
    assertThat(Inventory.EMPTY.connected(GPU, 1, false).capacity()).isEmpty();
    assertCounts(onePlugin, 2, 1);
    assertThat(onePlugin.find(GPU).orElseThrow().healthy()).isEqualTo(ids("a"));
  }

  @Test
  void aListOfAConnectionThatEndedDoesNotCount() {
    Inventory gone = onePlugin.disconnected(GPU, 1, NOW);

    assertThat(gone.listed(GPU, 1, devices("a b c d"))).isEqualTo(gone);
    assertThat(gone.listed(ResourceName.of("x.example/y"), 1, devices("a"))).isEqualTo(gone);
  }

  @Test
  void theEndOfAnUnknownConnectionChangesNothing() {
    assertThat(onePlugin.disconnected(GPU, 7, NOW)).isEqualTo(onePlugin);
    assertThat(onePlugin.disconnected(ResourceName.of("x.example/y"), 1, NOW)).isEqualTo(onePlugin);
  }

  @Test
  void theSecondEndOfAConnectionDoesNotProlongTheGrace() {
    Inventory gone = onePlugin.disconnected(GPU, 1, NOW);

    assertThat(gone.disconnected(GPU, 1, NOW.plusSeconds(100))).isEqualTo(gone);
  }

  @Test
  void aNewerPluginTakesTheListOverUntilItHasItsOwn() {
    Inventory both = onePlugin.connected(GPU, 2, false);
    assertCounts(both, 2, 1);

    Inventory newerAlone = both.disconnected(GPU, 1, NOW);
    assertCounts(newerAlone, 2, 1);
    assertThat(newerAlone.find(GPU).orElseThrow().stoppedAt()).isEmpty();

    assertCounts(newerAlone.listed(GPU, 2, devices("x y z")), 3, 3);
  }

  @Test
  void anOldPluginsListIsKeptForTheTimeWhenItIsTheOnlyOneAgain() {
    Inventory both = onePlugin.connected(GPU, 2, false).listed(GPU, 2, devices("a b c"));
    assertCounts(both.listed(GPU, 1, devices("x")), 3, 3);

    assertCounts(both.listed(GPU, 1, devices("x")).disconnected(GPU, 2, NOW), 1, 1);
  }

  @Test
  void withoutAPluginNothingIsHealthyAndAfterTheGraceNothingIsThere() {
    Inventory gone = onePlugin.disconnected(GPU, 1, NOW);
    assertCounts(gone, 2, 0);
    assertThat(gone.expired(NOW.plus(GRACE), GRACE)).isEqualTo(gone);

    Inventory expired = gone.expired(NOW.plus(GRACE).plusNanos(1), GRACE);
    assertCounts(expired, 0, 0);
    assertThat(expired.find(GPU)).isEmpty();
    assertThat(expired.gone()).containsExactly(GPU);
  }

  @Test
  void aPluginThatIsThereNeverExpires() {
    Instant late = NOW.plus(Duration.ofDays(365));

    assertThat(onePlugin.expired(late, GRACE)).isEqualTo(onePlugin);
    Inventory silent = onePlugin.disconnected(GPU, 1, NOW).connected(GPU, 2, false);
    assertCounts(silent.expired(late, GRACE), 2, 0);
  }

  @Test
  void whatComesBackAfterTheGraceShowsZeroUntilItsList() {
    Inventory back =
        onePlugin
            .disconnected(GPU, 1, NOW)
            .expired(NOW.plus(GRACE).plusNanos(1), GRACE)
            .connected(GPU, 2, false);

    assertCounts(back, 0, 0);
    assertThat(back.gone()).as("until then").containsExactly(GPU);
    Inventory listed = back.listed(GPU, 2, devices("a"));
    assertCounts(listed, 1, 1);
    assertThat(listed.gone()).isEmpty();
    assertThat(listed.unreported()).isEmpty();
  }

  @Test
  void whatAnEarlierKubeletKnewHasTheGraceToComeBack() {
    Inventory restored = Inventory.restored(Set.of(GPU), NOW);

    assertCounts(restored, 0, 0);
    assertThat(restored.expired(NOW.plus(GRACE), GRACE)).isEqualTo(restored);
    assertThat(restored.expired(NOW.plus(GRACE).plusNanos(1), GRACE).gone()).containsExactly(GPU);
  }

  @Test
  void itIsKnownOfAPluginThatIsAwayWhetherItWantsPreStart() {
    Inventory gone =
        onePlugin.connected(GPU, 2, true).disconnected(GPU, 1, NOW).disconnected(GPU, 2, NOW);

    assertThat(gone.find(GPU).orElseThrow().wantsPreStart()).isTrue();
    assertThat(onePlugin.connected(GPU, 2, true).disconnected(GPU, 2, NOW).find(GPU).orElseThrow())
        .extracting(ResourceState::wantsPreStart)
        .as("the one that is left does not")
        .isEqualTo(false);
    assertThat(Inventory.restored(Set.of(GPU), NOW).find(GPU).orElseThrow().wantsPreStart())
        .isFalse();
  }

  private static void assertCounts(Inventory inventory, long capacity, long allocatable) {
    assertThat(inventory.capacity()).isEqualTo(Map.of(GPU, capacity));
    assertThat(inventory.allocatable()).isEqualTo(Map.of(GPU, allocatable));
  }
}
