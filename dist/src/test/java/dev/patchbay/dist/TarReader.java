package dev.patchbay.dist;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Reads what [Tar] writes, for tests.
final class TarReader {
  private static final int BLOCK = 512;

  /// One entry, its fields as they stand there.
  record Item(
      String path,
      String mode,
      String owner,
      long time,
      char kind,
      String target,
      ByteBuffer bytes) {
    String text() {
      return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }
  }

  private TarReader() {}

  static List<Item> read(byte[] archive) {
    List<Item> items = new ArrayList<>();
    for (int at = 0; archive[at] != 0; ) {
      int size = Integer.parseInt(text(archive, at + 124, 12), 8);
      String prefix = text(archive, at + 345, 155);
      items.add(
          new Item(
              (prefix.isEmpty() ? "" : prefix + "/") + text(archive, at, 100),
              text(archive, at + 100, 8),
              text(archive, at + 108, 8) + ":" + text(archive, at + 116, 8),
              Long.parseLong(text(archive, at + 136, 12), 8),
              (char) archive[at + 156],
              text(archive, at + 157, 100),
              ByteBuffer.wrap(archive, at + BLOCK, size).slice()));
      at += BLOCK + Math.ceilDiv(size, BLOCK) * BLOCK;
    }
    return items;
  }

  static Item find(byte[] archive, String path) {
    return read(archive).stream().filter(it -> it.path().equals(path)).findFirst().orElseThrow();
  }

  private static String text(byte[] archive, int at, int room) {
    int end = at;
    while (end < at + room && archive[end] != 0) end++;
    return new String(archive, at, end - at, StandardCharsets.UTF_8);
  }
}
