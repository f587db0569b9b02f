package dev.patchbay.host;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/// Where the host's `/sys`, `/proc` and `/dev` are: the only class that turns a text into a place
/// under a root.
///
/// A path given here is absolute, as the host knows it. Symbolic links are followed below the root,
/// as after chroot: one that leads out of it stays inside. Thread-safe; nothing is cached.
public final class HostRoot {
  private static final int MAX_LINKS = 40;

  private final String name;
  private final HostFiles files;

  private HostRoot(String name, HostFiles files) {
    this.name = name;
    this.files = files;
  }

  /// A directory is taken as the root of a machine, a regular file as the archive of one.
  ///
  /// @throws IOException when there is neither; names the path
  public static HostRoot of(Path path) throws IOException {
    if (Files.isDirectory(path)) return new HostRoot(path.toString(), new LiveFiles(path));
    if (!Files.exists(path))
      throw new NoSuchFileException(path.toString(), null, "needed is a directory or an archive");
    try {
      return ofArchive(path.toString(), Files.readString(path));
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /// The machine in this archive.
  ///
  /// @throws IllegalArgumentException with file and line, when the text is not an archive
  public static HostRoot ofArchive(String fileName, String text) {
    return new HostRoot(fileName, new ArchiveFiles(HostArchive.parse(fileName, text)));
  }

  /// Reads a small text file: a regular one of at most a mebibyte. Bytes that are no UTF-8 become
  /// replacement characters; serial numbers may have them.
  public Attribute readAttribute(String path) {
    Optional<String> real = resolve(path);
    Optional<Stat> stat = real.flatMap(files::stat);
    if (real.isEmpty() || stat.isEmpty()) return new Attribute.Absent();
    // Of a pipe the end never comes, and reading a device may set it going.
    if (stat.get().kind() != Stat.Kind.FILE)
      return new Attribute.Unreadable(
          path + ": is " + stat.get().kind() + "; needed is a regular file");
    try {
      return new Attribute.Value(
          new String(files.read(real.get()), StandardCharsets.UTF_8).stripTrailing());
    } catch (NoSuchFileException | FileNotFoundException e) {
      return new Attribute.Absent();
    } catch (IOException e) {
      return new Attribute.Unreadable(path + ": " + e.getMessage());
    }
  }

  /// Names in a directory, sorted; none when it does not exist.
  ///
  /// @throws IOException when it is there but cannot be read; names it
  public List<String> list(String path) throws IOException {
    Optional<String> real = resolve(path);
    if (real.isEmpty()) return List.of();
    try {
      return files.list(real.get()).stream().sorted().toList();
    } catch (NoSuchFileException | FileNotFoundException e) {
      return List.of();
    } catch (NotDirectoryException e) {
      throw new IOException("cannot list " + path + ": it is no directory", e);
    } catch (IOException e) {
      throw new IOException("cannot list " + path + ": " + e.getMessage(), e);
    }
  }

  /// What lies at a path, links followed.
  public Optional<Stat> stat(String path) {
    return resolve(path).flatMap(files::stat);
  }

  /// What lies at a path; a symbolic link at its end is not followed.
  public Optional<Stat> lstat(String path) {
    return walk(path, false).flatMap(files::stat);
  }

  /// The path without symbolic links; empty when something on the way, or at its end, does not
  /// exist.
  public Optional<String> resolve(String path) {
    return walk(path, true).filter(real -> files.stat(real).isPresent());
  }

  /// Where a symbolic link leads, as it says it; empty when there is none.
  public Optional<String> readLink(String path) {
    Optional<String> real = walk(path, false);
    if (real.isEmpty()) return Optional.empty();
    try {
      return Optional.of(files.readLink(real.get()));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private Optional<String> walk(String path, boolean followLast) {
    requireAbsolute(path);
    Deque<String> rest = new ArrayDeque<>(componentsOf(path));
    String at = "/";
    int links = 0;
    while (!rest.isEmpty()) {
      String component = rest.pop();
      if (component.equals(".")) continue;
      if (component.equals("..")) {
        at = parentOf(at);
        continue;
      }
      String next = at.equals("/") ? "/" + component : at + "/" + component;
      boolean isLink = files.stat(next).filter(stat -> stat.kind() == Stat.Kind.LINK).isPresent();
      if (!isLink || (rest.isEmpty() && !followLast)) {
        at = next;
        continue;
      }
      if (++links > MAX_LINKS) return Optional.empty();
      try {
        String target = files.readLink(next);
        if (target.startsWith("/")) at = "/";
        List<String> inserted = componentsOf(target);
        for (int i = inserted.size() - 1; i >= 0; i--) rest.push(inserted.get(i));
      } catch (IOException e) {
        return Optional.empty();
      }
    }
    return Optional.of(at);
  }

  private static List<String> componentsOf(String path) {
    List<String> components = new ArrayList<>();
    for (String component : path.split("/", -1))
      if (!component.isEmpty()) components.add(component);
    return components;
  }

  private static void requireAbsolute(String path) {
    if (!path.startsWith("/"))
      throw new IllegalArgumentException("the host path " + path + " is not absolute");
  }

  /// The directory above a path; `/` is above itself.
  static String parentOf(String path) {
    int slash = path.lastIndexOf('/');
    return slash <= 0 ? "/" : path.substring(0, slash);
  }

  /// What matches a pattern.
  ///
  /// @param paths sorted as text
  /// @param unreadable why a directory on the way could not be read, for each such one; names it
  public record Matches(List<String> paths, List<String> unreadable) {
    public Matches {
      paths = List.copyOf(paths);
      unreadable = List.copyOf(unreadable);
    }
  }

  /// Paths that match a pattern; see [Glob]. A symbolic link matches by its own name, also when it
  /// leads nowhere. What is no directory is not looked into.
  public Matches glob(String pattern) {
    requireAbsolute(pattern);
    List<String> unreadable = new ArrayList<>();
    List<String> matches = List.of("");
    for (String component : componentsOf(pattern)) {
      List<String> next = new ArrayList<>();
      var glob = Glob.ofComponent(component);
      for (String prefix : matches) {
        if (glob.isLiteral()) {
          String path = prefix + "/" + glob.literal();
          if (lstat(path).isPresent()) next.add(path);
        } else {
          for (String entry : namesBelow(prefix.isEmpty() ? "/" : prefix, unreadable))
            if (glob.matches(entry)) next.add(prefix + "/" + entry);
        }
      }
      matches = next;
    }
    return new Matches(
        matches.stream().map(path -> path.isEmpty() ? "/" : path).sorted().toList(), unreadable);
  }

  private List<String> namesBelow(String path, List<String> unreadable) {
    try {
      return list(path);
    } catch (IOException e) {
      if (!(e.getCause() instanceof NotDirectoryException))
        unreadable.add(String.valueOf(e.getMessage()));
      return List.of();
    }
  }

  /// Opens a device node for reading and closes it again. For some devices that has effects of its
  /// own.
  public OpenResult tryOpen(String path) {
    return resolve(path)
        .map(files::open)
        .orElseGet(() -> new OpenResult.Failed("there is no " + path));
  }

  /// Where a path is on this machine, links not followed; empty for an archive.
  public Optional<Path> livePath(String path) {
    requireAbsolute(path);
    return files.live(path);
  }

  /// The root as it was given, for people.
  @Override
  public String toString() {
    return name;
  }
}
