package dev.patchbay.oci;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// The directory of one container: its configuration, its root, its log and what became of it.
///
/// @param directory absolute
public record Bundle(Path directory) {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  public Bundle {
    if (!directory.isAbsolute())
      throw new IllegalArgumentException("bundle directory is relative: " + directory);
  }

  /// Lays the container out, in place of what an earlier run left; its log is kept and goes on.
  ///
  /// @throws IOException when a granted node is not there, or a file cannot be written
  public void write(BundleSpec spec) throws IOException {
    Files.createDirectories(directory);
    for (Path file : List.of(exitFile(), pidFile(), shimPidFile(), runtimeLog()))
      Files.deleteIfExists(file);
    String rootPath =
        switch (spec.root()) {
          case BundleSpec.Root.Directory(Path path) -> path.toString();
          case BundleSpec.Root.HostPrograms() -> hostPrograms();
        };
    JSON.writeValue(directory.resolve("config.json").toFile(), OciConfig.of(spec, rootPath));
  }

  /// What the configuration would be, for people; nothing is written.
  ///
  /// @throws IOException when a granted node is not there
  public static String preview(BundleSpec spec) throws IOException {
    return JSON.writeValueAsString(OciConfig.of(spec, "rootfs"));
  }

  /// Removes the directory of a container that was deleted, with its log. Beneath its root there
  /// are but empty mount points; anything else there would be something mounted, and is not
  /// touched.
  ///
  /// @throws IOException when something is left
  public void remove() throws IOException {
    Path root = directory.resolve("rootfs");
    if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) return;
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
        if (path.startsWith(root)
            && Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
            && Files.size(path) > 0)
          throw new IOException("cannot remove " + directory + ": " + path + " is not empty");
        Files.deleteIfExists(path);
      }
    }
  }

  /// Standard output and error of the container, of all its runs.
  public Path log() {
    return directory.resolve("log");
  }

  Path runtimeLog() {
    return directory.resolve("runtime.log");
  }

  Path pidFile() {
    return directory.resolve("pid");
  }

  Path shimPidFile() {
    return directory.resolve("shim.pid");
  }

  Path exitFile() {
    return directory.resolve("exit");
  }

  /// An empty root with links where the host has links; the rest is mounted over it.
  private String hostPrograms() throws IOException {
    Path root = Files.createDirectories(directory.resolve("rootfs"));
    for (String name : ContainerMounts.PROGRAMS) {
      Path host = Path.of(name);
      Path link = root.resolve(name.substring(1));
      if (Files.isSymbolicLink(host) && !Files.isSymbolicLink(link))
        Files.createSymbolicLink(link, Files.readSymbolicLink(host));
    }
    return "rootfs";
  }
}
