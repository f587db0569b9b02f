package dev.patchbay.kubelet.wire;

import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.Health;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/// A list's entry as nearly all are: a healthy device with an id of visible ASCII, on one NUMA node
/// or without any, its fields in the order in which every serializer puts them. Of ten thousand
/// such entries no messages are made; whatever is different is left to the generated parser.
final class PlainDevice {
  private static final int ID = 0x0a;

  /// The field of the health.
  private static final byte[] HEALTHY = {0x12, 7, 'H', 'e', 'a', 'l', 't', 'h', 'y'};

  /// The field of the topology with the node of that number, which is left out when it is 0.
  private static final byte[] ON_NODE_0 = {0x1a, 2, 0x0a, 0};

  private static final byte[] ON_NODE = {0x1a, 4, 0x0a, 2, 0x08};

  private PlainDevice() {}

  /// The device of an entry; empty when it is not such a one, or none at all.
  static Optional<Device> read(byte[] bytes, int from, int to) {
    if (to - from < 2 || bytes[from] != ID) return Optional.empty();
    int begin = from + 2;
    int end = begin + bytes[from + 1];
    if (end <= begin || to - end < HEALTHY.length || !isVisible(bytes, begin, end))
      return Optional.empty();
    int rest = end + HEALTHY.length;
    if (!Arrays.equals(bytes, end, rest, HEALTHY, 0, HEALTHY.length)) return Optional.empty();
    SortedSet<Integer> nodes = nodes(bytes, rest, to);
    if (nodes == null) return Optional.empty();
    var id = new String(bytes, begin, end - begin, StandardCharsets.ISO_8859_1);
    return Optional.of(new Device(DeviceId.of(id), Health.healthy(), nodes));
  }

  private static boolean isVisible(byte[] bytes, int from, int to) {
    for (int at = from; at < to; at++) if (bytes[at] < ' ' || bytes[at] > '~') return false;
    return true;
  }

  /// The nodes of a topology, or of none; null when it is not of a form that is known here.
  private static @Nullable SortedSet<Integer> nodes(byte[] bytes, int from, int to) {
    if (from == to) return Collections.emptySortedSet();
    int last = from + ON_NODE.length;
    if (to == last + 1
        && bytes[last] >= 0
        && Arrays.equals(bytes, from, last, ON_NODE, 0, ON_NODE.length))
      return Device.on(bytes[last]);
    return Arrays.equals(bytes, from, to, ON_NODE_0, 0, ON_NODE_0.length) ? Device.on(0) : null;
  }
}
