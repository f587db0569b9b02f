package dev.patchbay.kubelet.pluginwatcher;

import dev.patchbay.watch.FileIdentity;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The sockets of a registry, in all its directories, as they lie there at one time.
///
/// Names that begin with a dot are those of drafts and do not count. Upstream says so of files
/// always, but of a directory only when it sees it come: what lies in a directory when that is
/// walked for the first time (at the start, or because it is new) is entered whatever its name.
///
/// A socket is told from another one at its path by its inode and time of birth, so that a change
/// of its mode or owner does not make it another. Links to sockets count as sockets; linked
/// directories are not entered.
///
/// @param sockets by path
/// @param directories those that are entered, the registry itself among them if it is there
record RegistryTree(
    SortedMap<Path, FileIdentity> sockets, SortedMap<Path, FileIdentity> directories) {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.kubelet");
  private static final int SOCKET = 0140000;
  private static final int KIND = 0170000;

  static final RegistryTree EMPTY =
      new RegistryTree(Collections.emptySortedMap(), Collections.emptySortedMap());

  RegistryTree {
    sockets = Collections.unmodifiableSortedMap(new TreeMap<>(sockets));
    directories = Collections.unmodifiableSortedMap(new TreeMap<>(directories));
  }

  /// What lies there now.
  ///
  /// @param before the tree as it was seen last
  static RegistryTree read(Path registry, RegistryTree before) {
    SortedMap<Path, FileIdentity> sockets = new TreeMap<>();
    SortedMap<Path, FileIdentity> directories = new TreeMap<>();
    List<Path> toEnter = new ArrayList<>(List.of(registry));
    while (!toEnter.isEmpty()) {
      Path directory = toEnter.removeLast();
      Optional<FileIdentity> identity = FileIdentity.ofDirectory(directory);
      if (identity.isEmpty()) continue;
      directories.put(directory, identity.get());
      boolean isNew = !identity.get().equals(before.directories.get(directory));
      for (Path entry : entriesOf(directory)) {
        boolean dotted = String.valueOf(entry.getFileName()).startsWith(".");
        if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
          if (!dotted || isNew || before.hasEntered(entry)) toEnter.add(entry);
        } else if (!dotted) {
          socketAt(entry).ifPresent(socket -> sockets.put(entry, socket));
        }
      }
    }
    return new RegistryTree(sockets, directories);
  }

  private boolean hasEntered(Path directory) {
    FileIdentity then = directories.get(directory);
    return then != null && FileIdentity.ofDirectory(directory).equals(Optional.of(then));
  }

  private static List<Path> entriesOf(Path directory) {
    List<Path> entries = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
      stream.forEach(entries::add);
    } catch (IOException | DirectoryIteratorException e) {
      // What was read of it counts. It may have gone meanwhile.
      LOG.log(
          System.Logger.Level.DEBUG,
          "plugin registry not read directory=" + directory + " reason=" + e);
    }
    return entries;
  }

  private static Optional<FileIdentity> socketAt(Path path) {
    try {
      Map<String, Object> facts = Files.readAttributes(path, "unix:mode,dev,ino,creationTime");
      if (((Integer) Objects.requireNonNull(facts.get("mode")) & KIND) != SOCKET)
        return Optional.empty();
      return Optional.of(
          new FileIdentity(
              (Long) Objects.requireNonNull(facts.get("dev")),
              (Long) Objects.requireNonNull(facts.get("ino")),
              (FileTime) Objects.requireNonNull(facts.get("creationTime"))));
    } catch (IOException e) {
      // Gone since it was listed, or a link that leads nowhere.
      return Optional.empty();
    }
  }

  /// Whether this socket lies somewhere in the tree, under whatever name.
  boolean contains(FileIdentity socket) {
    return sockets.containsValue(socket);
  }
}
