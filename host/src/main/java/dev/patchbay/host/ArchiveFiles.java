package dev.patchbay.host;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// A text archive, played.
final class ArchiveFiles implements HostFiles {
  private final SortedMap<String, HostArchive.Entry> entries = new TreeMap<>();
  private final SortedMap<String, TreeSet<String>> children = new TreeMap<>();

  ArchiveFiles(HostArchive archive) {
    children.put("/", new TreeSet<>());
    for (HostArchive.Entry entry : archive.entries()) {
      entries.put(entry.path(), entry);
      addToParents(entry.path());
    }
  }

  private void addToParents(String path) {
    String child = path;
    while (!child.equals("/")) {
      String parent = HostRoot.parentOf(child);
      children
          .computeIfAbsent(parent, _ -> new TreeSet<>())
          .add(child.substring(child.lastIndexOf('/') + 1));
      child = parent;
    }
  }

  @Override
  public Optional<Stat> stat(String path) {
    if (children.containsKey(path)) return Optional.of(new Stat(Stat.Kind.DIRECTORY, 0, 0, 0755));
    return Optional.ofNullable(entries.get(path))
        .map(entry ->
            switch (entry) {
              case HostArchive.Directory _ -> new Stat(Stat.Kind.DIRECTORY, 0, 0, 0755);
              case HostArchive.TextFile _ -> new Stat(Stat.Kind.FILE, 0, 0, 0444);
              case HostArchive.Link _ -> new Stat(Stat.Kind.LINK, 0, 0, 0777);
              case HostArchive.Failing _ -> new Stat(Stat.Kind.FILE, 0, 0, 0444);
              case HostArchive.Node node -> node.stat();
            });
  }

  @Override
  public List<String> list(String path) throws IOException {
    if (entries.get(path) instanceof HostArchive.Failing failing)
      throw new IOException(failing.error());
    if (children.containsKey(path))
      return List.copyOf(children.getOrDefault(path, new TreeSet<>()));
    return switch (entries.get(path)) {
      case HostArchive.Directory _ -> List.of();
      case null -> throw new FileNotFoundException(path);
      default -> throw new NotDirectoryException(path);
    };
  }

  @Override
  public byte[] read(String path) throws IOException {
    return switch (entries.get(path)) {
      case HostArchive.TextFile file -> {
        byte[] content = file.text().getBytes(StandardCharsets.UTF_8);
        if (content.length > LARGEST) throw new IOException("has more than " + LARGEST + " bytes");
        yield content;
      }
      case HostArchive.Failing failing -> throw new IOException(failing.error());
      case null, default -> throw new FileNotFoundException(path);
    };
  }

  @Override
  public String readLink(String path) throws IOException {
    if (entries.get(path) instanceof HostArchive.Link link) return link.target();
    throw new FileNotFoundException(path);
  }

  @Override
  public OpenResult open(String path) {
    return switch (entries.get(path)) {
      case HostArchive.Node node ->
          node.openError().map(OpenErrors::of).orElseGet(OpenResult.Opened::new);
      case null, default -> new OpenResult.Failed("No such device or address");
    };
  }

  @Override
  public Optional<Path> live(String path) {
    return Optional.empty();
  }
}
