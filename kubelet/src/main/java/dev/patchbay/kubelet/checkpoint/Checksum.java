package dev.patchbay.kubelet.checkpoint;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The checksum of a checkpoint: 32-bit FNV-1a over the text that Go's `spew` printer gives of the
/// kubelet's own structures, with their Go type names, sorted keys, raw strings and `<nil>` for
/// null. What it prints of the pieces, a [Fragment] has.
final class Checksum {
  private static final int OFFSET = 0x811c9dc5;
  private static final int PRIME = 0x01000193;

  private static final byte[] ENTRIES =
      bytes("(checkpoint.checkpointData){PodDeviceEntries:([]checkpoint.PodDevicesEntry)");
  private static final byte[] REGISTERED = bytes(" RegisteredDevices:(map[string][]string)");
  private static final byte[] NIL = bytes("<nil>");
  private static final byte[] LIST = bytes("[");
  private static final byte[] MAP = bytes("map[");
  private static final byte[] SPACE = bytes(" ");
  private static final byte[] END = bytes("]");
  private static final byte[] LAST = bytes("}");

  private Checksum() {}

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /// The checksum as the unsigned number that stands in the file.
  static long of(@Nullable List<Fragment> entries, @Nullable List<Fragment> registered) {
    int hash = with(OFFSET, ENTRIES);
    hash = with(hash, LIST, entries);
    hash = with(hash, REGISTERED);
    hash = with(hash, MAP, registered);
    return Integer.toUnsignedLong(with(hash, LAST));
  }

  private static int with(int before, byte[] opening, @Nullable List<Fragment> fragments) {
    if (fragments == null) return with(before, NIL);
    int hash = with(before, opening);
    boolean first = true;
    for (Fragment each : fragments) {
      if (!first) hash = with(hash, SPACE);
      first = false;
      hash = with(hash, each.dump);
    }
    return with(hash, END);
  }

  private static int with(int before, byte[] bytes) {
    int hash = before;
    for (byte each : bytes) hash = (hash ^ (each & 0xff)) * PRIME;
    return hash;
  }

  /// The text that is hashed.
  static String text(@Nullable List<Fragment> entries, @Nullable List<Fragment> registered) {
    var text = new ByteText(1024).add(ENTRIES);
    add(text, LIST, entries);
    text.add(REGISTERED);
    add(text, MAP, registered);
    return new String(text.add(LAST).bytes(), StandardCharsets.UTF_8);
  }

  private static void add(ByteText text, byte[] opening, @Nullable List<Fragment> fragments) {
    if (fragments == null) {
      text.add(NIL);
      return;
    }
    text.add(opening);
    for (int i = 0; i < fragments.size(); i++) {
      if (i > 0) text.add(SPACE);
      text.add(fragments.get(i).dump);
    }
    text.add(END);
  }
}
