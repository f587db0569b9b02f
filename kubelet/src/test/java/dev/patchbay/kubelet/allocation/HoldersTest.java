package dev.patchbay.kubelet.allocation;

import static dev.patchbay.kubelet.inventory.DeviceNotation.ids;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.inventory.DeviceTable;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HoldersTest {
  private static final int CHANGES = 3_000;

  /// So many that few of them are searched for in a list, and more are found by walking through it.
  private static final int MANY = 100;

  @Test
  void aDeviceThatTwoContainersHoldIsHeldUntilBothAreGone() {
    Holders two = Holders.NONE.in(table("a b c")).plus(ids("a b"), 1).plus(ids("b"), 1);

    assertThat(two.plus(ids("b"), -1).ids()).isEqualTo(ids("a b"));
    assertThat(two.plus(ids("b"), -1).plus(ids("a b"), -1).isEmpty()).isTrue();
    assertThat(two.ids()).isEqualTo(ids("a b"));
  }

  @Test
  void whatIsNotListedAnyMoreIsHeldOn() {
    Holders held = Holders.NONE.in(table("a b c")).plus(ids("a c"), 1);

    Holders later = held.in(table("b c d"));

    assertThat(later.ids()).isEqualTo(ids("a c"));
    assertThat(later.size()).isEqualTo(2);
    assertThat(later.plus(ids("a"), -1).ids()).isEqualTo(ids("c"));
    assertThat(later.in(table("a b c")).plus(ids("a c"), -1).isEmpty()).isTrue();
  }

  @Test
  void countsAsAMapOfCountsWould() {
    long seed = System.nanoTime();
    var random = new Random(seed);
    Holders holders = Holders.NONE;
    Map<String, Integer> model = new TreeMap<>();
    DeviceTable table = DeviceTable.EMPTY;
    for (int i = 0; i < CHANGES; i++) {
      if (random.nextInt(10) == 0) {
        table = table(some(random));
        holders = holders.in(table);
      } else if (random.nextBoolean() || model.isEmpty()) {
        String id = "d" + random.nextInt(MANY);
        holders = holders.plus(ids(id), 1);
        model.merge(id, 1, Integer::sum);
      } else {
        List<String> all = new ArrayList<>(model.keySet());
        String id = all.get(random.nextInt(all.size()));
        holders = holders.plus(ids(id), -1);
        model.computeIfPresent(id, (_, count) -> count == 1 ? null : count - 1);
      }
      assertThat(holders.ids().stream().map(DeviceId::value))
          .as("seed %d, change %d", seed, i)
          .containsExactlyElementsOf(new TreeSet<>(model.keySet()));
      assertThat(holders.size()).isEqualTo(model.size());
      assertThat(holders.isEmpty()).isEqualTo(model.isEmpty());
      var free = new BitSet();
      free.set(0, table.size());
      holders.removeHeld(free);
      assertThat(table.idsAt(free).stream().map(DeviceId::value))
          .noneMatch(model::containsKey)
          .hasSize(
              (int)
                  table.devices().stream()
                      .filter(device -> !model.containsKey(device.id().value()))
                      .count());
    }
  }

  private static String some(Random random) {
    return String.join(
        " ",
        IntStream.range(0, MANY)
            .filter(_ -> random.nextBoolean())
            .mapToObj(number -> "d" + number)
            .toList());
  }

  private static DeviceTable table(String names) {
    return DeviceTable.of(
        names.isEmpty()
            ? List.of()
            : List.of(names.split(" ")).stream().map(Device::healthy).toList());
  }
}
