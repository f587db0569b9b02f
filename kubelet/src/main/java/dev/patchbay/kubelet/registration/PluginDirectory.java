package dev.patchbay.kubelet.registration;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/// The directory in which `kubelet.sock` and the plugins' sockets lie.
final class PluginDirectory {
  private static final int SOCKET = 0140000;
  private static final int KIND = 0170000;

  private PluginDirectory() {}

  /// Makes the directory (mode 0755) when it is missing and removes all sockets in it, but nothing
  /// else, as kubelets since 1.33 do. It is how plugins see that the kubelet restarted.
  ///
  /// @throws IOException when the directory cannot be made or read, or a socket not be removed;
  ///   names the directory
  static void prepare(Path directory) throws IOException {
    try {
      makeIfMissing(directory);
      removeSockets(directory);
    } catch (FileAlreadyExistsException e) {
      throw new IOException(
          "cannot use " + directory + ": " + e.getFile() + " is not a directory", e);
    } catch (IOException e) {
      throw new IOException("cannot use " + directory + ": " + e.getMessage(), e);
    }
  }

  private static void makeIfMissing(Path directory) throws IOException {
    if (!Files.isDirectory(directory))
      Files.createDirectories(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
  }

  private static void removeSockets(Path directory) throws IOException {
    IOException failure = null;
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        try {
          if (isSocket(entry)) Files.deleteIfExists(entry);
        } catch (IOException e) {
          if (failure == null)
            failure = new IOException("stale socket not removed: " + e.getMessage(), e);
          else failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) throw failure;
  }

  /// Follows links: a link to a socket counts as one. What cannot be looked at does not.
  private static boolean isSocket(Path path) {
    try {
      return ((Integer) Files.getAttribute(path, "unix:mode") & KIND) == SOCKET;
    } catch (IOException e) {
      return false;
    }
  }
}
