package dev.patchbay.dist;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/// Writes a [FileTree] in the format `ustar` (POSIX.1, pax utility, "ustar Interchange Format"):
/// owners 0, no names, one time for all.
///
/// @param time of every entry, in whole seconds
/// @param root what stands before each path: nothing, `./` as dpkg wants it, or a folder's name and
///   a slash
record Tar(Instant time, String root) {
  private static final int BLOCK = 512;
  private static final int NAME = 100;
  private static final int PREFIX = 155;

  void write(FileTree tree, OutputStream out) throws IOException {
    if (!root.isEmpty()) header(root, new FileTree.Folder(0755), 0, out);
    for (Map.Entry<String, FileTree.Entry> each : tree.entries().entrySet()) {
      byte[] bytes = FileTree.read(each.getValue());
      boolean folder = each.getValue() instanceof FileTree.Folder;
      header(root + each.getKey() + (folder ? "/" : ""), each.getValue(), bytes.length, out);
      out.write(bytes);
      out.write(new byte[-bytes.length & (BLOCK - 1)]);
    }
    out.write(new byte[2 * BLOCK]);
  }

  private void header(String path, FileTree.Entry entry, int size, OutputStream out)
      throws IOException {
    byte[] block = new byte[BLOCK];
    int split = split(path);
    text(block, 0, NAME, path.substring(split));
    if (split > 0) text(block, 345, PREFIX, path.substring(0, split - 1));
    octal(block, 100, 8, entry.mode());
    octal(block, 108, 8, 0);
    octal(block, 116, 8, 0);
    octal(block, 124, 12, size);
    octal(block, 136, 12, time.getEpochSecond());
    switch (entry) {
      case FileTree.Folder _ -> block[156] = '5';
      case FileTree.Link link -> {
        block[156] = '2';
        text(block, 157, NAME, link.target());
      }
      case FileTree.Bytes _, FileTree.Copy _ -> block[156] = '0';
    }
    text(block, 257, 6, "ustar");
    text(block, 263, 2, "00");
    Arrays.fill(block, 148, 156, (byte) ' ');
    int sum = 0;
    for (byte each : block) sum += Byte.toUnsignedInt(each);
    octal(block, 148, 7, sum);
    out.write(block);
  }

  /// Where the name begins that is short enough, with a prefix before it that is so too.
  private static int split(String path) throws IOException {
    int length = path.getBytes(StandardCharsets.UTF_8).length;
    if (length <= NAME) return 0;
    int slash = path.indexOf('/', path.length() - NAME - 1);
    if (slash < 0 || slash == path.length() - 1 || slash > PREFIX || length != path.length())
      throw new IOException("too long for an archive of this format: " + path);
    return slash + 1;
  }

  private static void text(byte[] block, int at, int room, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > room) throw new IOException("too long for an archive: " + text);
    System.arraycopy(bytes, 0, block, at, bytes.length);
  }

  private static void octal(byte[] block, int at, int room, long number) throws IOException {
    text(block, at, room - 1, String.format(Locale.ROOT, "%0" + (room - 1) + "o", number));
  }
}
