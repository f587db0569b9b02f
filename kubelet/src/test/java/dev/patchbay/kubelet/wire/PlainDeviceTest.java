package dev.patchbay.kubelet.wire;

import static dev.patchbay.kubelet.wire.DeviceListReaderTest.device;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import dev.patchbay.proto.deviceplugin.v1beta1.NUMANode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlainDeviceTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 63, 64, 127})
  void aHealthyDeviceOnOneNodeIsPlain(int node) {
    assertThat(read(device("gpu-0", "Healthy", node)))
        .hasValueSatisfying(it -> assertThat(it.numaNodes()).containsExactly(node));
  }

  @Test
  void aHealthyDeviceWithoutATopologyIsPlain() {
    assertThat(read(Device.newBuilder().setID("gpu-0").setHealth("Healthy").build()))
        .contains(dev.patchbay.model.Device.healthy("gpu-0"));
  }

  /// Each entry, each beginning of it, and each with any one byte changed.
  @Test
  void whatIsPlainIsWhatTheMessageSays() throws Exception {
    int plain = 0;
    for (Device entry : entries()) {
      byte[] bytes = entry.toByteArray();
      for (int to = 0; to <= bytes.length; to++) plain += check(bytes, to);
      for (int at = 0; at < bytes.length; at++)
        for (int flipped = 1; flipped < 256; flipped++) {
          byte[] changed = bytes.clone();
          changed[at] ^= (byte) flipped;
          plain += check(changed, changed.length);
        }
    }

    assertThat(plain).isGreaterThan(1_000);
  }

  /// @return how many of this one entry were plain
  private static int check(byte[] bytes, int to) throws Exception {
    Optional<dev.patchbay.model.Device> plain = PlainDevice.read(bytes, 0, to);
    if (plain.isEmpty()) return 0;
    Device message = Device.parser().parseFrom(bytes, 0, to);
    assertThat(message.getHealth()).isEqualTo("Healthy");
    assertThat(plain.get().id().value()).isEqualTo(message.getID());
    assertThat(plain.get().health().isHealthy()).isTrue();
    assertThat(plain.get().numaNodes()).isEqualTo(nodes(message));
    return 1;
  }

  private static Set<Integer> nodes(Device message) {
    Set<Integer> nodes = new TreeSet<>();
    for (NUMANode node : message.getTopology().getNodesList()) nodes.add((int) node.getID());
    return nodes;
  }

  private static List<Device> entries() {
    List<Device> all = new ArrayList<>();
    for (String id :
        List.of("", "a", "a b~", "a\tb", "é", "\u007f", "x".repeat(127), "x".repeat(128)))
      for (String health : List.of("Healthy", "healthy", "Unhealthy", ""))
        for (int[] nodes : new int[][] {{}, {0}, {1}, {127}, {128}, {-1}, {0, 1}})
          all.add(device(id, health, nodes));
    all.add(Device.newBuilder().setID("a").setHealth("Healthy").build());
    return all;
  }

  private static Optional<dev.patchbay.model.Device> read(Device entry) {
    byte[] bytes = entry.toByteArray();
    return PlainDevice.read(bytes, 0, bytes.length);
  }
}
