package dev.patchbay.watch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// Which file lies at a path: the inode number alone is not enough, since a new file often gets the
/// number of the one just removed.
///
/// @param device the number of the file system
/// @param inode the file's number on it
/// @param since for a file the inode's change time; for a directory its time of birth, since its
///   change time moves with its entries
public record FileIdentity(long device, long inode, FileTime since) {
  /// The file at this path (a symbolic link itself), or empty when there is none.
  public static Optional<FileIdentity> of(Path path) {
    return read(path, "unix:dev,ino,ctime", "ctime", LinkOption.NOFOLLOW_LINKS);
  }

  /// The directory at this path, or empty when there is none.
  public static Optional<FileIdentity> ofDirectory(Path path) {
    return Files.isDirectory(path)
        ? read(path, "unix:dev,ino,creationTime", "creationTime")
        : Optional.empty();
  }

  private static Optional<FileIdentity> read(
      Path path, String attributes, String time, LinkOption... options) {
    try {
      Map<String, Object> facts = Files.readAttributes(path, attributes, options);
      return Optional.of(
          new FileIdentity(
              (Long) Objects.requireNonNull(facts.get("dev")),
              (Long) Objects.requireNonNull(facts.get("ino")),
              (FileTime) Objects.requireNonNull(facts.get(time))));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
