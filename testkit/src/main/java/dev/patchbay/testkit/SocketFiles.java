package dev.patchbay.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// The sockets among a directory's files.
final class SocketFiles {
  private static final int SOCKET = 0140000;
  private static final int KIND = 0170000;

  private SocketFiles() {}

  /// Sorted by name; empty when there is no such directory.
  static List<Path> in(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) return List.of();
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(SocketFiles::isSocket).sorted().toList();
    }
  }

  /// Removes a directory with all that is in it, also when a plugin puts a new socket into it
  /// meanwhile; no harm when it is not there.
  static void removeTree(Path directory) throws IOException {
    for (int left = 100; !removed(directory, left); left--) {}
  }

  private static boolean removed(Path directory, int triesLeft) throws IOException {
    if (Files.notExists(directory)) return true;
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path path : tree.sorted((a, b) -> b.compareTo(a)).toList()) Files.deleteIfExists(path);
      return true;
    } catch (DirectoryNotEmptyException | UncheckedIOException e) {
      if (triesLeft > 0) return false;
      throw e;
    }
  }

  private static boolean isSocket(Path file) {
    try {
      int mode = (Integer) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS);
      return (mode & KIND) == SOCKET;
    } catch (IOException e) {
      // Gone since it was listed.
      return false;
    }
  }
}
