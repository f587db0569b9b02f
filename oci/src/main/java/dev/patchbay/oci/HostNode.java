package dev.patchbay.oci;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// A device node of this machine, read from its inode.
///
/// @param type `c`, `b` or `p`
/// @param mode permission bits
record HostNode(Path path, String type, long major, long minor, int mode, long uid, long gid) {
  private static final int FILE_TYPE = 0170000;
  private static final int CHARACTER = 0020000;
  private static final int BLOCK = 0060000;
  private static final int PIPE = 0010000;
  private static final int DIRECTORY = 0040000;

  /// What container runtimes leave out when a directory of nodes is asked for.
  private static final Set<String> NOT_DEVICES =
      Set.of("pts", "shm", "fd", "mqueue", ".lxc", ".lxd-mounts", ".udev", "console");

  /// Reads one node; symbolic links are followed.
  static HostNode read(Path path) throws IOException {
    int mode = (int) inode(path, "mode");
    String type =
        switch (mode & FILE_TYPE) {
          case CHARACTER -> "c";
          case BLOCK -> "b";
          case PIPE -> "p";
          default -> throw new IOException(path + " is no device node");
        };
    long rdev = inode(path, "rdev");
    return new HostNode(
        path, type, major(rdev), minor(rdev), mode & 07777, inode(path, "uid"), inode(path, "gid"));
  }

  /// Reads a node, or all nodes below a directory.
  static List<HostNode> readAll(Path path) throws IOException {
    if ((inode(path, "mode") & FILE_TYPE) != DIRECTORY) return List.of(read(path));
    List<HostNode> nodes = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
      for (Path entry : entries) {
        if (NOT_DEVICES.contains(String.valueOf(entry.getFileName()))) continue;
        if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) nodes.addAll(readAll(entry));
        else if (isNode(entry)) nodes.add(read(entry));
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    if (nodes.isEmpty()) throw new IOException("directory " + path + " holds no device node");
    return nodes;
  }

  /// The kernel's `MAJOR` of a packed number as user space sees it (`makedev(3)`).
  static long major(long rdev) {
    return ((rdev >>> 8) & 0xfff) | ((rdev >>> 32) & ~0xfffL);
  }

  /// The kernel's `MINOR` of a packed number as user space sees it (`makedev(3)`).
  static long minor(long rdev) {
    return (rdev & 0xff) | ((rdev >>> 12) & 0xffffff00L);
  }

  private static boolean isNode(Path path) throws IOException {
    Object mode = Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    int type = (int) mode & FILE_TYPE;
    return type == CHARACTER || type == BLOCK;
  }

  private static long inode(Path path, String field) throws IOException {
    try {
      return ((Number) Files.getAttribute(path, "unix:" + field)).longValue();
    } catch (NoSuchFileException e) {
      throw new IOException("there is no device node " + path, e);
    }
  }
}
