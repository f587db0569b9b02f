package dev.patchbay.kubelet.memory;

import dev.patchbay.kubelet.topology.NumaMachine;
import java.util.SortedMap;
import java.util.TreeMap;

/// Huge pages as resources.
public final class HugePages {
  private static final String UNITS = "KMGTPE";

  private HugePages() {}

  /// Bytes by resource name, as in `hugepages-2Mi`.
  static SortedMap<String, Long> bytesByType(NumaMachine.Node node) {
    SortedMap<String, Long> bytes = new TreeMap<>();
    node.hugePages().forEach((size, count) -> bytes.put(name(size), size * count));
    return bytes;
  }

  /// The resource's name for pages of this size: in the largest binary unit that divides it.
  public static String name(long sizeBytes) {
    long left = sizeBytes;
    int unit = 0;
    while (left % 1024 == 0 && unit < UNITS.length()) {
      left /= 1024;
      unit++;
    }
    return "hugepages-" + left + (unit == 0 ? "" : UNITS.charAt(unit - 1) + "i");
  }
}
