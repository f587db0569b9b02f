package dev.patchbay.kubelet.checkpoint;

import java.nio.charset.StandardCharsets;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.function.Function;

/// The checksum of the kubelet's state files: 32-bit FNV-1a over the text that Go's `spew` printer
/// gives of the kubelet's own structures, with their Go type names, sorted keys, raw strings and
/// `<nil>` for null.
public final class GoChecksum {
  private static final int OFFSET = 0x811c9dc5;
  private static final int PRIME = 0x01000193;

  private GoChecksum() {}

  /// The checksum of a printed structure, as the unsigned number that stands in the file.
  public static long of(String printed) {
    int hash = OFFSET;
    for (byte each : printed.getBytes(StandardCharsets.UTF_8)) {
      hash ^= each & 0xff;
      hash *= PRIME;
    }
    return Integer.toUnsignedLong(hash);
  }

  /// A map as it is printed, sorted by key.
  public static <K, V> String map(SortedMap<K, V> map, Function<? super V, String> printedValue) {
    var text = new StringJoiner(" ", "map[", "]");
    map.forEach((key, value) -> text.add(key + ":" + printedValue.apply(value)));
    return text.toString();
  }
}
