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
/// @param inode the file's number on its device
/// @param changed the inode's change time
public record FileIdentity(long inode, FileTime changed) {
  /// The file at this path (a symbolic link itself), or empty when there is none.
  public static Optional<FileIdentity> of(Path path) {
    try {
      Map<String, Object> facts =
          Files.readAttributes(path, "unix:ino,ctime", LinkOption.NOFOLLOW_LINKS);
      return Optional.of(
          new FileIdentity(
              (Long) Objects.requireNonNull(facts.get("ino")),
              (FileTime) Objects.requireNonNull(facts.get("ctime"))));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
