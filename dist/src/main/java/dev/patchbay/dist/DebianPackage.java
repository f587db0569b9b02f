package dev.patchbay.dist;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Map.Entry;

/// Writes a binary package of Debian (deb(5)): an `ar` archive of `debian-binary`, `control.tar.gz`
/// and `data.tar.gz`.
///
/// @param time of everything in it
/// @param conffiles absolute paths of files whose changes an upgrade keeps
record DebianPackage(Instant time, List<String> conffiles) {
  private static final String MAGIC = "!<arch>\n";
  private static final int KIBIBYTE = 1024;

  /// Writes the package.
  ///
  /// @param fields of its `control` file, without a size
  /// @param scripts by their names, as `postinst`
  /// @param data what it installs
  void write(Map<String, String> fields, Map<String, String> scripts, FileTree data, Path file)
      throws IOException {
    var control = new FileTree();
    control.text("control", control(fields, data));
    control.text("conffiles", String.join("\n", conffiles) + "\n");
    control.text("md5sums", sums(data));
    scripts.forEach(control::program);
    try (OutputStream out = Files.newOutputStream(file)) {
      out.write(MAGIC.getBytes(StandardCharsets.US_ASCII));
      member("debian-binary", "2.0\n".getBytes(StandardCharsets.US_ASCII), out);
      member("control.tar.gz", archive(control), out);
      member("data.tar.gz", archive(data), out);
    }
  }

  private String control(Map<String, String> fields, FileTree data) throws IOException {
    var text = new StringBuilder();
    for (Entry<String, String> field : fields.entrySet()) {
      // The description is the last one, since it has more than one line.
      if (field.getKey().equals("Description"))
        text.append("Installed-Size: ").append(size(data)).append('\n');
      text.append(field.getKey()).append(": ").append(field.getValue()).append('\n');
    }
    return text.toString();
  }

  /// In KiB, each file rounded up and one for each other thing (deb-substvars(5), Installed-Size).
  private static long size(FileTree data) throws IOException {
    long size = 0;
    for (FileTree.Entry each : data.entries().values())
      size += Math.ceilDiv(Math.max(1, FileTree.read(each).length), KIBIBYTE);
    return size;
  }

  private String sums(FileTree data) throws IOException {
    var text = new StringBuilder();
    for (Entry<String, FileTree.Entry> each : data.entries().entrySet())
      if (isFile(each.getValue()) && !conffiles.contains("/" + each.getKey()))
        text.append(Digest.md5(FileTree.read(each.getValue())))
            .append("  ")
            .append(each.getKey())
            .append('\n');
    return text.toString();
  }

  private static boolean isFile(FileTree.Entry entry) {
    return switch (entry) {
      case FileTree.Bytes _, FileTree.Copy _ -> true;
      case FileTree.Folder _, FileTree.Link _ -> false;
    };
  }

  private byte[] archive(FileTree tree) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var packed = new Gzip(bytes)) {
      new Tar(time, "./").write(tree, packed);
    }
    return bytes.toByteArray();
  }

  private void member(String name, byte[] bytes, OutputStream out) throws IOException {
    String header =
        String.format(
            Locale.ROOT,
            "%-16s%-12d%-6d%-6d%-8s%-10d`\n",
            name,
            time.getEpochSecond(),
            0,
            0,
            "100644",
            bytes.length);
    out.write(header.getBytes(StandardCharsets.US_ASCII));
    out.write(bytes);
    if (bytes.length % 2 != 0) out.write('\n');
  }
}
