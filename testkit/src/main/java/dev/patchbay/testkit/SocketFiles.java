package dev.patchbay.testkit;

import java.io.IOException;
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
