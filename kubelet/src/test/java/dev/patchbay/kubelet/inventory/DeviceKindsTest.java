package dev.patchbay.kubelet.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.Health;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DeviceKindsTest {
  private static final int DEVICES = 1_000;

  /// On a machine of so many nodes, of which a device has none, one or two.
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8, 40})
  void countAndFindAsALookAtEachDeviceWould(int nodes) {
    long seed = System.nanoTime();
    var random = new Random(seed);
    List<Device> devices =
        IntStream.range(0, DEVICES).mapToObj(i -> device(i, nodes, random)).toList();
    DeviceKinds kinds = DeviceTable.of(devices).kinds();

    for (int round = 0; round < 20; round++) {
      BitSet some = some(random, DEVICES);
      BitSet wanted = some(random, kinds.nodes().size());
      int[] counts = new int[kinds.nodes().size()];
      var found = new BitSet();
      for (int place = 0; place < DEVICES; place++) {
        int kind = kinds.nodes().indexOf(devices.get(place).numaNodes());
        if (some.get(place)) counts[kind]++;
        if (some.get(place) && wanted.get(kind)) found.set(place);
      }

      assertThat(kinds.counts(some)).as("seed %d", seed).isEqualTo(counts);
      assertThat(kinds.ofKinds(wanted, some)).as("seed %d", seed).isEqualTo(found);
    }
    assertThat(kinds.nodes()).doesNotHaveDuplicates();
  }

  private static Device device(int number, int nodes, Random random) {
    SortedSet<Integer> its = new TreeSet<>();
    for (int i = random.nextInt(3); i > 0; i--) its.add(random.nextInt(nodes));
    return new Device(DeviceId.of("d%04d".formatted(number)), Health.healthy(), its);
  }

  private static BitSet some(Random random, int size) {
    var some = new BitSet();
    for (int i = 0; i < size; i++) if (random.nextBoolean()) some.set(i);
    return some;
  }
}
