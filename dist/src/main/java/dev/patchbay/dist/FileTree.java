package dev.patchbay.dist;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// The files of one archive: by paths without a slash at either end, in the order of their text, so
/// that each folder comes before what is in it. All belong to root; folders that nobody names have
/// mode 0755. Not safe for use by several threads.
final class FileTree {
  private static final int EXECUTABLE = 0755;
  private static final int READABLE = 0644;
  private final SortedMap<String, Entry> entries = new TreeMap<>();

  /// One of its files.
  sealed interface Entry {
    /// The permission bits.
    int mode();
  }

  /// A folder.
  record Folder(int mode) implements Entry {}

  /// A file with these bytes.
  static final class Bytes implements Entry {
    private final int mode;
    private final byte[] bytes;

    private Bytes(int mode, byte[] bytes) {
      this.mode = mode;
      this.bytes = bytes;
    }

    @Override
    public int mode() {
      return mode;
    }
  }

  /// A file like one of this machine.
  record Copy(int mode, Path source) implements Entry {}

  /// A symbolic link.
  record Link(String target) implements Entry {
    @Override
    public int mode() {
      return 0777;
    }
  }

  FileTree folder(String path, int mode) {
    return put(path, new Folder(mode));
  }

  FileTree text(String path, String text) {
    return put(path, new Bytes(READABLE, text.getBytes(StandardCharsets.UTF_8)));
  }

  FileTree program(String path, String text) {
    return put(path, new Bytes(EXECUTABLE, text.getBytes(StandardCharsets.UTF_8)));
  }

  FileTree bytes(String path, byte[] bytes) {
    return put(path, new Bytes(READABLE, bytes));
  }

  FileTree link(String path, String target) {
    return put(path, new Link(target));
  }

  /// A file of this machine, executable if it is so there; of other permissions nothing is kept.
  /// Links are followed.
  FileTree copy(String path, Path source) throws IOException {
    if (!Files.isRegularFile(source)) throw new IOException(source + " is no file");
    return put(path, new Copy(Files.isExecutable(source) ? EXECUTABLE : READABLE, source));
  }

  /// What is in a folder of this machine, links as links.
  ///
  /// @param wanted asked with each path below the folder; what is in an unwanted folder is asked
  ///   for all the same
  FileTree copyAll(String path, Path folder, Predicate<String> wanted) throws IOException {
    List<Path> found;
    try (Stream<Path> tree = Files.walk(folder)) {
      found = tree.sorted().toList();
    }
    for (Path file : found) {
      String name = folder.relativize(file).toString();
      if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS) || !wanted.test(name)) continue;
      String at = path.isEmpty() ? name : path + "/" + name;
      if (Files.isSymbolicLink(file)) link(at, Files.readSymbolicLink(file).toString());
      else copy(at, file);
    }
    return this;
  }

  SortedMap<String, Entry> entries() {
    return Collections.unmodifiableSortedMap(entries);
  }

  /// The bytes of a file, none for anything else.
  static byte[] read(Entry entry) throws IOException {
    return switch (entry) {
      case Bytes file -> file.bytes;
      case Copy copy -> Files.readAllBytes(copy.source());
      case Folder _, Link _ -> new byte[0];
    };
  }

  private FileTree put(String path, Entry entry) {
    if (path.isEmpty() || path.startsWith("/") || path.endsWith("/"))
      throw new IllegalArgumentException("no path inside an archive: '" + path + "'");
    for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1))
      entries.putIfAbsent(path.substring(0, slash), new Folder(EXECUTABLE));
    entries.put(path, entry);
    return this;
  }
}
