package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.NIC;
import static dev.patchbay.kubelet.Pods.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.patchbay.kubelet.checkpoint.CheckpointFile;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/// What the node shows of a resource whose plugin went away, with time.
class PluginGoneTest {
  private static final Duration GRACE = Duration.ofMinutes(5);

  @AutoClose private final KubeletSide kubelet = KubeletSide.started();

  @Test
  void capacityStaysForFiveMinutes() {
    kubelet.registered(NIC, "nic-0");
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b");

    plugin.close();

    kubelet.awaitAllocatable(GPU, 0);
    assertThat(kubelet.counts(GPU)).isEqualTo("2/0");
    kubelet.clock.advance(GRACE);
    assertThat(kubelet.counts(GPU)).isEqualTo("2/0");
    kubelet.clock.advance(Duration.ofNanos(1));
    assertThat(kubelet.counts(GPU)).isEqualTo("0/0");
    assertThat(kubelet.counts(NIC)).as("a plugin that is there").isEqualTo("1/1");
    assertThat(registeredInCheckpoint()).containsOnlyKeys(NIC.toString());
  }

  @Test
  void aStreamThatEndsIsAPluginThatIsGone() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a");

    plugin.endStreams();

    kubelet.awaitAllocatable(GPU, 0);
    assertThat(kubelet.counts(GPU)).isEqualTo("1/0");
    assertThat(kubelet.refusal(pod("p", 1)))
        .isEqualTo(
            "UnexpectedAdmissionError: Allocate failed due to no healthy devices present;"
                + " cannot allocate unhealthy devices vendor.example/gpu, which is unexpected");
  }

  @Test
  void aStreamThatEndsBeforeItsFirstListLeavesTheResourceWithNothing() {
    ScriptedPlugin plugin = kubelet.plugin("gpu.sock");
    assertThat(plugin.register(GPU)).isEmpty();
    await().until(() -> plugin.calls().contains("ListAndWatch"));

    plugin.endStreams();

    kubelet.awaitCapacity(GPU, 0);
    assertThat(kubelet.counts(GPU)).isEqualTo("0/0");
    DeviceCapacity capacity = kubelet.manager().deviceCapacity();
    assertThat(capacity.capacity()).containsEntry(GPU, 0L);
    assertThat(capacity.allocatable()).doesNotContainKey(GPU);
    assertThat(kubelet.refusal(pod("p", 1)))
        .as("the device manager lets it pass, the node has none")
        .isEqualTo(
            "OutOfvendor.example/gpu: Node didn't have enough resource: vendor.example/gpu,"
                + " requested: 1, used: 0, capacity: 0");
    assertThat(new CheckpointFile(kubelet.directory()).read()).as("nothing to remember").isEmpty();
  }

  @Test
  void aRemovedResourceIsOursAsLongAsSomebodyHoldsIt() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b");
    kubelet.admit(pod("p", 1));
    plugin.close();
    kubelet.awaitAllocatable(GPU, 0);
    kubelet.clock.advance(GRACE.plusNanos(1));

    assertThat(kubelet.counts(GPU)).isEqualTo("0/0");
    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[a]");
    assertThat(kubelet.refusal(pod("q", 1)))
        .contains("cannot allocate unregistered device vendor.example/gpu");
    kubelet.manager().release("p");
    assertThat(kubelet.refusal(pod("r", 1)))
        .as("nobody's business here any more")
        .startsWith("OutOfvendor.example/gpu: ");
  }

  @Test
  void aPluginThatComesBackInTimeBringsItsDevicesBack() {
    kubelet.registered(GPU, "a", "b").close();
    kubelet.awaitAllocatable(GPU, 0);
    kubelet.clock.advance(GRACE);

    kubelet.registered(GPU, "a", "b");
    kubelet.clock.advance(GRACE.multipliedBy(10));

    assertThat(kubelet.counts(GPU)).isEqualTo("2/2");
  }

  @Test
  void aPluginThatComesBackSilentKeepsCapacityForEver() {
    kubelet.registered(GPU, "a", "b").close();
    kubelet.awaitAllocatable(GPU, 0);

    assertThat(kubelet.plugin("silent.sock").register(GPU)).isEmpty();
    kubelet.clock.advance(GRACE.multipliedBy(10));

    assertThat(kubelet.counts(GPU)).isEqualTo("2/0");
  }

  @Test
  void aPluginThatComesBackTooLateStartsFromNothing() {
    kubelet.registered(GPU, "a", "b").close();
    kubelet.awaitAllocatable(GPU, 0);
    kubelet.clock.advance(GRACE.plusNanos(1));
    assertThat(kubelet.counts(GPU)).isEqualTo("0/0");

    ScriptedPlugin late = kubelet.plugin("late.sock");
    assertThat(late.register(GPU)).isEmpty();
    assertThat(kubelet.counts(GPU)).isEqualTo("0/0");
    DeviceCapacity silent = kubelet.manager().deviceCapacity();
    assertThat(silent.capacity()).as("as of a new one").doesNotContainKey(GPU);
    assertThat(silent.removed()).as("nobody told the node before").containsExactly(GPU);
    assertThat(kubelet.refusal(pod("p", 1)))
        .isEqualTo(
            "OutOfvendor.example/gpu: Node didn't have enough resource: vendor.example/gpu,"
                + " requested: 1, used: 0, capacity: 0");
    assertThat(registeredInCheckpoint()).isEmpty();

    late.list("c");
    kubelet.awaitAllocatable(GPU, 1);
    assertThat(kubelet.counts(GPU)).isEqualTo("1/1");
    assertThat(kubelet.manager().deviceCapacity().removed()).isEmpty();
  }

  /// It was gone, came, and went again before it had listed anything.
  @Test
  void aPluginThatFailsAsSoonAsItIsBackIsGoneOnceMore() {
    kubelet.registered(GPU, "a", "b").close();
    kubelet.awaitAllocatable(GPU, 0);
    kubelet.clock.advance(GRACE.plusNanos(1));
    assertThat(kubelet.manager().deviceCapacity().removed()).containsExactly(GPU);
    ScriptedPlugin late = kubelet.plugin("late.sock");
    assertThat(late.register(GPU)).isEmpty();
    await().until(() -> late.calls().contains("ListAndWatch"));
    late.endStreams();
    await().until(() -> kubelet.manager().deviceCapacity().capacity().containsKey(GPU));

    kubelet.clock.advance(GRACE.plusNanos(1));

    DeviceCapacity later = kubelet.manager().deviceCapacity();
    assertThat(later.capacity()).doesNotContainKey(GPU);
    assertThat(later.removed()).containsExactly(GPU);
    assertThat(kubelet.counts(GPU)).isEqualTo("0/0");
  }

  @Test
  void aPluginThatIsBackBeforeTheNodeWasToldIsNotReportedAsGone() {
    kubelet.registered(GPU, "a", "b").close();
    kubelet.awaitAllocatable(GPU, 0);
    kubelet.clock.advance(GRACE.plusNanos(1));
    assertThat(kubelet.counts(GPU)).isEqualTo("0/0");

    kubelet.registered(GPU, "a");

    DeviceCapacity now = kubelet.manager().deviceCapacity();
    assertThat(now.removed()).isEmpty();
    assertThat(now.capacity()).containsEntry(GPU, 1L);
  }

  @Test
  void afterARestartKnownResourcesShowZeroUntilTheirPluginIsBack() {
    kubelet.registered(GPU, "a", "b");

    kubelet.restart();

    assertThat(kubelet.counts(GPU)).isEqualTo("0/0");
    kubelet.clock.advance(GRACE.plusNanos(1));
    assertThat(kubelet.counts(GPU)).isEqualTo("0/0");
    assertThat(registeredInCheckpoint()).isEmpty();
    kubelet.registered(GPU, "a");
    assertThat(kubelet.counts(GPU)).isEqualTo("1/1");
  }

  private Map<String, List<String>> registeredInCheckpoint() {
    return Objects.requireNonNull(
        new CheckpointFile(kubelet.directory()).read().orElseThrow().registered());
  }
}
