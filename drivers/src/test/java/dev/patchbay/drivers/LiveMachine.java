package dev.patchbay.drivers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.patchbay.host.HostArchive;
import dev.patchbay.host.HostRoot;
import dev.patchbay.host.Stat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A machine in a directory, with real device nodes. Tests that need one are skipped where this
/// process may not make nodes.
public final class LiveMachine {
  private LiveMachine() {}

  /// Makes what the archive says below a directory. What cannot be made, a file that fails to be
  /// read and a node that fails to be opened, is made as one that works.
  public static HostRoot unpack(Path root, String archive) throws IOException {
    for (HostArchive.Entry entry : HostArchive.parse("machine", archive).entries()) {
      Path path = root.resolve(entry.path().substring(1));
      Files.createDirectories(parent(path));
      switch (entry) {
        case HostArchive.Directory _ -> Files.createDirectories(path);
        case HostArchive.TextFile file -> Files.writeString(path, file.text());
        case HostArchive.Failing _ -> Files.createFile(path);
        case HostArchive.Link link -> Files.createSymbolicLink(path, Path.of(link.target()));
        case HostArchive.Node node -> makeNode(path, node.stat());
      }
    }
    return HostRoot.of(root);
  }

  /// Makes a character device.
  public static void makeNode(Path path, int major, int minor) throws IOException {
    makeNode(path, new Stat(Stat.Kind.CHARACTER_DEVICE, major, minor, 0600));
  }

  private static void makeNode(Path path, Stat stat) throws IOException {
    Files.createDirectories(parent(path));
    String kind = stat.kind() == Stat.Kind.BLOCK_DEVICE ? "b" : "c";
    boolean made =
        run(
            "mknod",
            path.toString(),
            kind,
            String.valueOf(stat.major()),
            String.valueOf(stat.minor()));
    assumeTrue(made, "this process may not make device nodes");
  }

  /// Makes a named pipe, which nobody can open without another one at its other end.
  public static void makePipe(Path path) throws IOException {
    Files.createDirectories(parent(path));
    assertThat(run("mkfifo", path.toString())).as("mkfifo %s", path).isTrue();
  }

  private static boolean run(String... command) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    return process.onExit().join().exitValue() == 0;
  }

  private static Path parent(Path path) {
    Path parent = path.getParent();
    if (parent == null) throw new IllegalArgumentException(path + " has no parent");
    return parent;
  }
}
