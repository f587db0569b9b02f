package dev.patchbay.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.wire.DeviceListReader;
import dev.patchbay.kubelet.wire.ListedDevices;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.ContainerEdits.DeviceNode;
import dev.patchbay.model.ContainerEdits.Mount;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.DeviceList;
import dev.patchbay.model.Health;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// What a plugin says is what the kubelet's side hears, byte by byte over the wire.
final class WireRoundTripTest {
  private static final long SEED = Long.getLong("patchbay.seed", 25);
  private static final int ROUNDS = 500;

  private final Random random = new Random(SEED);

  @Test
  void aListArrivesAsItWasSent() throws Exception {
    var reader = new DeviceListReader();
    for (int round = 0; round < ROUNDS; round++) {
      DeviceList sent = list();
      byte[] bytes = dev.patchbay.sdk.wire.Messages.list(sent).toByteArray();

      ListedDevices heard = reader.read(bytes);

      assertThat(heard.problems()).isEmpty();
      assertThat(heard.devices())
          .as("seed %d, round %d", SEED, round)
          .usingElementComparator(WireRoundTripTest::compareAsHeard)
          .containsExactlyElementsOf(sent.devices());
    }
  }

  /// The wire says that a device is unhealthy, but not why.
  private static int compareAsHeard(Device one, Device other) {
    boolean same =
        one.id().equals(other.id())
            && one.numaNodes().equals(other.numaNodes())
            && one.health().isHealthy() == other.health().isHealthy();
    return same ? 0 : 1;
  }

  @Test
  void editsArriveAsTheyWereSent() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      ContainerEdits sent = edits();
      byte[] bytes = dev.patchbay.sdk.wire.Messages.edits(sent).toByteArray();

      ContainerEdits heard =
          dev.patchbay.kubelet.wire.Messages.edits(ContainerAllocateResponse.parseFrom(bytes));

      assertThat(heard).as("seed %d, round %d", SEED, round).isEqualTo(sent);
    }
  }

  private DeviceList list() {
    List<Device> devices = new ArrayList<>();
    for (int i = random.nextInt(6); i > 0; i--) {
      TreeSet<Integer> nodes = new TreeSet<>();
      for (int n = random.nextInt(3); n > 0; n--) nodes.add(random.nextInt(8));
      Health health = random.nextBoolean() ? Health.healthy() : Health.unhealthy("why");
      devices.add(new Device(DeviceId.of("d" + i + word()), health, nodes));
    }
    return DeviceList.copyOf(devices);
  }

  private ContainerEdits edits() {
    List<DeviceNode> nodes = new ArrayList<>();
    List<Mount> mounts = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--)
      nodes.add(new DeviceNode("/dev/" + word(), "/dev/" + i + word(), pick("r", "rw", "mrw")));
    for (int i = random.nextInt(4); i > 0; i--)
      mounts.add(new Mount("/etc/" + word(), "/etc/" + i + word(), random.nextBoolean()));
    for (int i = random.nextInt(4); i > 0; i--) names.add("vendor.example/class=" + i);
    return new ContainerEdits(map(), nodes, mounts, map(), names);
  }

  private Map<String, String> map() {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = random.nextInt(4); i > 0; i--) map.put("KEY_" + i, word());
    return map;
  }

  private String word() {
    return pick("", "a", "snd card", "grün", "x=y", "\"quoted\"", "日本");
  }

  private String pick(String... words) {
    return words[random.nextInt(words.length)];
  }
}
