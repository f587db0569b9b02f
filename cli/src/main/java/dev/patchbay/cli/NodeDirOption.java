package dev.patchbay.cli;

import dev.patchbay.node.NodeState;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/// `--dir`: which embedded kubelet is asked.
final class NodeDirOption {
  @Option(
      names = "--dir",
      required = true,
      paramLabel = "DIR",
      description = "the embedded kubelet's directory")
  private Path dir = Path.of("");

  /// What that kubelet wrote last; says so when it is not running.
  NodeState read(PrintWriter err) throws IOException {
    NodeState state = NodeState.read(dir.toAbsolutePath().normalize());
    if (!state.isLive())
      err.println(
          "patchbay: the kubelet of " + dir + " is not running; this is what it wrote last");
    return state;
  }
}
