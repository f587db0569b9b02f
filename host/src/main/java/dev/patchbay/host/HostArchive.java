package dev.patchbay.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A machine as text, for tests and bug reports.
///
/// ```
/// # tree 1; captured 2026-02-11; two-socket server; kernel 6.8.0
/// link  sys/bus/pci/devices/0000:3b:00.0 -> ../../../devices/pci0000:3a/0000:3b:00.0
/// file  sys/devices/pci0000:3a/0000:3b:00.0/numa_node
/// | 1
/// fails sys/class/net/ens1f0/speed EINVAL
/// node  dev/vfio/42 c 241:0 0600
/// node  dev/broken c 241:1 0600 ENXIO
/// dir   dev/empty
/// ```
///
/// Paths have no leading slash; a blank, a newline, or a percent sign in one is written `%20`,
/// `%0A` and `%25`. A node's last word, if there, is the error of opening it. Directories of
/// entries need not be named.
///
/// @param head what the first line says after `# tree 1; `
/// @param entries in the order in which they stand
public record HostArchive(String head, List<Entry> entries) {
  private static final String MAGIC = "# tree 1; ";
  private static final Pattern NODE =
      Pattern.compile("(\\S+) ([cb]) (\\d+):(\\d+) ([0-7]{4})(?: (E[A-Z0-9]+))?");

  public HostArchive {
    entries = List.copyOf(entries);
  }

  /// One thing of the machine; paths are absolute.
  public sealed interface Entry {
    /// The host path.
    String path();
  }

  /// A directory without entries.
  public record Directory(String path) implements Entry {}

  /// A file and its content.
  public record TextFile(String path, String text) implements Entry {}

  /// A symbolic link and where it leads, as it says it.
  public record Link(String path, String target) implements Entry {}

  /// A file or directory that cannot be read.
  ///
  /// @param error the error's name, `EIO`
  public record Failing(String path, String error) implements Entry {}

  /// A device node.
  ///
  /// @param openError the error of opening it, `ENXIO`
  public record Node(String path, Stat stat, Optional<String> openError) implements Entry {}

  /// Reads an archive.
  ///
  /// @param name the archive's file name, for messages
  /// @throws IllegalArgumentException with file and line, when the text is not one
  public static HostArchive parse(String name, String text) {
    List<String> lines = text.lines().toList();
    if (lines.isEmpty() || !lines.getFirst().startsWith(MAGIC))
      throw new IllegalArgumentException(
          name + ":1: the first line does not begin with \"" + MAGIC + "\"");
    List<Entry> entries = new ArrayList<>();
    for (int i = 1; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.isBlank() || line.startsWith("#")) continue;
      if (line.startsWith("|")) {
        if (entries.isEmpty() || !(entries.getLast() instanceof TextFile file))
          throw new IllegalArgumentException(
              name + ":" + (i + 1) + ": a line of text without a file before it");
        String more = line.startsWith("| ") ? line.substring(2) : line.substring(1);
        entries.set(entries.size() - 1, new TextFile(file.path(), file.text() + more + "\n"));
        continue;
      }
      try {
        entries.add(entry(line));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(name + ":" + (i + 1) + ": " + e.getMessage(), e);
      }
    }
    return new HostArchive(lines.getFirst().substring(MAGIC.length()), entries);
  }

  private static Entry entry(String line) {
    int blank = line.indexOf(' ');
    String kind = blank < 0 ? line : line.substring(0, blank);
    String rest = blank < 0 ? "" : line.substring(blank).strip();
    return switch (kind) {
      case "dir" -> new Directory(path(rest));
      case "file" -> new TextFile(path(rest), "");
      case "link" -> {
        String[] parts = rest.split(" -> ", 2);
        if (parts.length < 2) throw new IllegalArgumentException("a link needs \"path -> target\"");
        yield new Link(path(parts[0]), decode(parts[1]));
      }
      case "fails" -> {
        String[] parts = rest.split(" ", 2);
        if (parts.length < 2)
          throw new IllegalArgumentException("\"fails\" needs a path and an error's name");
        yield new Failing(path(parts[0]), parts[1]);
      }
      case "node" -> node(rest);
      default ->
          throw new IllegalArgumentException(
              "found \"" + kind + "\"; needed is dir, file, link, fails or node");
    };
  }

  private static Node node(String rest) {
    Matcher parts = NODE.matcher(rest);
    if (!parts.matches())
      throw new IllegalArgumentException(
          "a node needs \"path c|b major:minor mode [error]\", found \"" + rest + "\"");
    Stat.Kind kind =
        parts.group(2).equals("c") ? Stat.Kind.CHARACTER_DEVICE : Stat.Kind.BLOCK_DEVICE;
    var stat =
        new Stat(
            kind,
            Integer.parseInt(parts.group(3)),
            Integer.parseInt(parts.group(4)),
            Integer.parseInt(parts.group(5), 8));
    return new Node(path(parts.group(1)), stat, Optional.ofNullable(parts.group(6)));
  }

  private static String path(String text) {
    if (text.isEmpty() || text.startsWith("/"))
      throw new IllegalArgumentException(
          "a path without a leading slash is needed, found \"" + text + "\"");
    return "/" + decode(text);
  }

  private static String decode(String text) {
    return text.replace("%20", " ").replace("%0A", "\n").replace("%25", "%");
  }

  private static String encode(String text) {
    return text.replace("%", "%25").replace(" ", "%20").replace("\n", "%0A");
  }

  /// The archive as text; reading it gives an equal archive.
  public String text() {
    var text = new StringBuilder(MAGIC).append(head).append('\n');
    for (Entry entry : entries) {
      String path = encode(entry.path().substring(1));
      switch (entry) {
        case Directory _ -> text.append("dir   ").append(path);
        case TextFile file -> {
          text.append("file  ").append(path);
          file.text().lines().forEach(line -> text.append(line.isEmpty() ? "\n|" : "\n| " + line));
        }
        case Link link ->
            text.append("link  ").append(path).append(" -> ").append(encode(link.target()));
        case Failing failing ->
            text.append("fails ").append(path).append(' ').append(failing.error());
        case Node node -> {
          Stat stat = node.stat();
          text.append("node  ").append(path);
          text.append(stat.kind() == Stat.Kind.CHARACTER_DEVICE ? " c " : " b ");
          text.append("%d:%d %04o".formatted(stat.major(), stat.minor(), stat.mode()));
          node.openError().ifPresent(error -> text.append(' ').append(error));
        }
      }
      text.append('\n');
    }
    return text.toString();
  }
}
