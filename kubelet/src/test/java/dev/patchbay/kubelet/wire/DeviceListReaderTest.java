package dev.patchbay.kubelet.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.NUMANode;
import dev.patchbay.proto.deviceplugin.v1beta1.TopologyInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DeviceListReaderTest {
  private static final long SEED = Long.getLong("patchbay.seed", 25);

  private final DeviceListReader reader = new DeviceListReader();

  @Test
  void whatDidNotChangeIsTakenFromTheListBefore() throws Exception {
    ListedDevices first = read(device("a", "Healthy", 0), device("b", "Healthy", 1));
    ListedDevices second = read(device("a", "Healthy", 0), device("b", "Broken", 1));

    assertThat(second.devices().getFirst()).isSameAs(first.devices().getFirst());
    assertThat(second.devices().getLast().health().isHealthy()).isFalse();
  }

  @Test
  void devicesAreByIdInWhateverOrderTheyAreListed() throws Exception {
    ListedDevices first = read(device("b", "Healthy", 0), device("a", "Healthy", 0));
    ListedDevices second = read(device("b", "Healthy", 0), device("a", "Healthy", 0));

    assertThat(ids(second)).containsExactly("a", "b");
    assertThat(second.devices().getLast()).isSameAs(first.devices().getLast());
  }

  @Test
  void ofAnIdThatOccursTwiceTheLaterOneCounts() throws Exception {
    ListedDevices list = read(device("a", "Healthy", 0), device("a", "Broken", 1));

    assertThat(list.devices())
        .singleElement()
        .satisfies(it -> assertThat(it.health().isHealthy()).isFalse());
    assertThat(list.problems()).containsExactly("device a is listed twice; the later one counts");
  }

  @Test
  void whatIsWrongIsSaidOfEachList() throws Exception {
    Device[] odd = {device("", "Healthy", 0), device("a", "Healthy", -1), device("b", "Healthy")};
    ListedDevices first = read(odd);
    ListedDevices second = read(odd);

    assertThat(ids(second)).containsExactly("a", "b");
    assertThat(second.problems()).isEqualTo(first.problems());
    assertThat(second.problems())
        .satisfiesExactly(
            left -> assertThat(left).startsWith("a device is left out: "),
            node -> assertThat(node).isEqualTo("device a names the NUMA node -1"));
  }

  @Test
  void fieldsOfALaterVersionAreNoMatter() throws Exception {
    var later = UnknownFieldSet.newBuilder();
    later.addField(7, UnknownFieldSet.Field.newBuilder().addVarint(3).build());
    later.addField(
        8, UnknownFieldSet.Field.newBuilder().addLengthDelimited(ByteString.empty()).build());
    byte[] bytes =
        ListAndWatchResponse.newBuilder()
            .addDevices(device("a", "Healthy", 0).toBuilder().setUnknownFields(later.build()))
            .setUnknownFields(later.build())
            .build()
            .toByteArray();

    assertThat(ids(reader.read(bytes))).containsExactly("a");
  }

  @Test
  void bytesThatAreNoListAreRefusedAndForgotten() throws Exception {
    byte[] list = message(device("a", "Healthy", 0)).toByteArray();
    var _ = reader.read(list);
    for (byte[] bad :
        List.of(
            new byte[] {10, 127, 10}, // an entry longer than the message
            new byte[] {10, -1, -1, -1, -1, 15}, // of a length below zero
            new byte[] {12}, // a group that ends and never began
            new byte[] {0, 0}, // field 0
            new byte[] {10, 3, 10, 1, -1})) // an id that is not UTF-8
    assertThatThrownBy(() -> reader.read(bad)).isInstanceOf(InvalidProtocolBufferException.class);

    assertThat(ids(reader.read(list))).containsExactly("a");
  }

  /// Lists of which most is as before, and something is wrong with few.
  @Test
  void eachListIsReadAsIfItWereTheFirst() throws Exception {
    var random = new Random(SEED);
    List<Device> devices = new ArrayList<>();
    for (int round = 0; round < 2_000; round++) {
      int place = random.nextInt(devices.size() + 1);
      Device changed =
          random.nextInt(100) == 0
              ? device(random.nextBoolean() ? "" : "a", "Healthy", -1)
              : device(
                  "d" + random.nextInt(30) + "x".repeat(random.nextInt(10) == 0 ? 130 : 0),
                  random.nextBoolean() ? "Healthy" : "Broken",
                  random.ints(random.nextInt(3), 0, 4).toArray());
      switch (random.nextInt(3)) {
        case 0 -> devices.add(place, changed);
        case 1 -> devices.subList(place, Math.min(place + 1, devices.size())).clear();
        default -> {
          if (place < devices.size()) devices.set(place, changed);
        }
      }
      if (round % 100 == 0) devices.removeIf(each -> !each.getID().startsWith("d"));
      byte[] bytes = message(devices.toArray(new Device[0])).toByteArray();

      assertThat(reader.read(bytes))
          .as("seed %d, round %d", SEED, round)
          .isEqualTo(new DeviceListReader().read(bytes));
    }
  }

  private ListedDevices read(Device... devices) throws InvalidProtocolBufferException {
    return reader.read(message(devices).toByteArray());
  }

  private static ListAndWatchResponse message(Device... devices) {
    return ListAndWatchResponse.newBuilder().addAllDevices(List.of(devices)).build();
  }

  static Device device(String id, String health, int... nodes) {
    var topology = TopologyInfo.newBuilder();
    for (int node : nodes) topology.addNodes(NUMANode.newBuilder().setID(node));
    return Device.newBuilder().setID(id).setHealth(health).setTopology(topology).build();
  }

  private static List<String> ids(ListedDevices list) {
    return list.devices().stream().map(each -> each.id().value()).toList();
  }
}
