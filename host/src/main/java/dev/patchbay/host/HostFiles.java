package dev.patchbay.host;

import java.io.IOException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Where a [HostRoot] reads. Paths are absolute, normal, and without symbolic links but perhaps the
/// last component.
sealed interface HostFiles permits LiveFiles, ArchiveFiles {
  /// The most bytes that a file may have; the kernel's own attributes have a page.
  int LARGEST = 1 << 20;

  /// What lies there, a link not followed; empty when nothing does or it cannot be told.
  Optional<Stat> stat(String path);

  /// Names of the entries of a directory, in no order.
  ///
  /// @throws NotDirectoryException when it is none
  List<String> list(String path) throws IOException;

  /// The whole content of a file.
  ///
  /// @throws IOException also when it is larger than [#LARGEST]
  byte[] read(String path) throws IOException;

  /// Where a symbolic link leads, as it says it.
  String readLink(String path) throws IOException;

  /// Opens a device node and closes it.
  OpenResult open(String path);

  /// The path on this machine, if there is one.
  Optional<Path> live(String path);
}
