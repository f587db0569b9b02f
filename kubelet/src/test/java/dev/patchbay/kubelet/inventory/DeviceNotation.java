package dev.patchbay.kubelet.inventory;

import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.Health;
import java.util.Arrays;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Devices as tables of tests write them: `a !b c@0 d@0+1` are a healthy device, an unhealthy one,
/// one on NUMA node 0 and one on the nodes 0 and 1.
public final class DeviceNotation {
  private DeviceNotation() {}

  /// Reads devices.
  public static DeviceTable devices(String text) {
    return DeviceTable.of(words(text).map(DeviceNotation::device).toList());
  }

  private static Device device(String word) {
    Health health = word.startsWith("!") ? Health.unhealthy("broken") : Health.healthy();
    String bare = word.startsWith("!") ? word.substring(1) : word;
    int at = bare.indexOf('@');
    SortedSet<Integer> nodes = new TreeSet<>();
    if (at >= 0)
      Arrays.stream(bare.substring(at + 1).split("\\+", -1))
          .map(Integer::valueOf)
          .forEach(nodes::add);
    return new Device(DeviceId.of(at < 0 ? bare : bare.substring(0, at)), health, nodes);
  }

  /// Reads ids.
  public static SortedSet<DeviceId> ids(String text) {
    return words(text).map(DeviceId::of).collect(Collectors.toCollection(TreeSet::new));
  }

  private static Stream<String> words(String text) {
    return Arrays.stream(text.split(" ", -1)).filter(word -> !word.isEmpty());
  }
}
