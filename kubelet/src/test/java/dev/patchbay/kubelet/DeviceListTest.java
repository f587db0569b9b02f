package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.NIC;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.ScriptedPlugin.device;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What the node shows of a plugin's lists.
class DeviceListTest {
  @AutoClose private final KubeletSide kubelet = KubeletSide.started();

  @Test
  void anUnhealthyDeviceCountsInCapacityAlone() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b");

    plugin.list(device("a", "Unhealthy"), device("b"));
    kubelet.awaitAllocatable(GPU, 1);
    assertThat(kubelet.counts(GPU)).isEqualTo("2/1");

    plugin.list("a", "b");
    kubelet.awaitAllocatable(GPU, 2);
    assertThat(kubelet.counts(GPU)).isEqualTo("2/2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "healthy", "HEALTHY", "Healthy ", "Unhealthy", "Degraded"})
  void anyHealthButHealthyIsUnhealthy(String health) {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b");

    plugin.list(device("a", health), device("b"));

    kubelet.awaitAllocatable(GPU, 1);
    assertThat(kubelet.counts(GPU)).isEqualTo("2/1");
  }

  @Test
  void eachListReplacesTheOneBefore() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b");

    plugin.list("b", "c", "d");

    kubelet.awaitAllocatable(GPU, 3);
    assertThat(kubelet.counts(GPU)).isEqualTo("3/3");
  }

  @Test
  void anEmptyListLeavesTheResourceWithNothing() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a");

    plugin.list(new Device[0]);

    kubelet.awaitCapacity(GPU, 0);
    assertThat(kubelet.counts(GPU)).isEqualTo("0/0");
  }

  @Test
  void anIdThatIsListedTwiceIsOneDeviceOfWhichTheLaterCounts() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "x");

    plugin.list(device("a"), device("b"), device("a", "Unhealthy"));

    kubelet.awaitCapacity(GPU, 2);
    assertThat(kubelet.counts(GPU)).isEqualTo("2/1");
    kubelet.admit(pod("p", 1));
    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[b]");
  }

  @Test
  void aDeviceWithoutAUsableIdIsLeftOut() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "x");

    plugin.list(device(""), device("a\nb"), device("a"), device("b"));

    kubelet.awaitCapacity(GPU, 2);
    assertThat(kubelet.counts(GPU)).isEqualTo("2/2");
  }

  @Test
  void aNumaNodeThatCannotBeIsLeftOut() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "x");

    plugin.list(device("a", -1), device("b", Long.MAX_VALUE));

    kubelet.awaitCapacity(GPU, 2);
    kubelet.admit(pod("p", 2));
    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[a, b]");
  }

  @Test
  void aListOfMoreThanFourMebibytesEndsTheStreamOfItsPluginAlone() {
    kubelet.registered(NIC, "nic-0");
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b");

    plugin.list(
        IntStream.range(0, 50_000)
            .mapToObj(i -> device("%090d".formatted(i)))
            .toArray(Device[]::new));

    kubelet.awaitAllocatable(GPU, 0);
    assertThat(kubelet.counts(GPU)).isEqualTo("2/0");
    assertThat(kubelet.counts(NIC)).isEqualTo("1/1");
  }
}
