package dev.patchbay.cli;

import dev.patchbay.node.NodeState;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `patchbay node`: the node of an embedded kubelet.
@Command(
    name = "node",
    mixinStandardHelpOptions = true,
    description = "Show capacity and allocatable of an embedded kubelet's node.")
final class NodeCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private NodeDirOption dir = new NodeDirOption();
  @Mixin private OutputOption output = new OutputOption();

  @SuppressWarnings("NullAway.Init")
  NodeCommand() {}

  @Override
  public Integer call() throws Exception {
    NodeState.Resources node = dir.read(spec.commandLine().getErr()).node();
    output.print(spec.commandLine().getOut(), node, NodeCommand::table);
    return 0;
  }

  /// One row for each resource.
  static String table(NodeState.Resources node) {
    var table = new Table("RESOURCE", "CAPACITY", "ALLOCATABLE");
    node.capacity()
        .forEach((name, capacity) ->
            table.row(
                name,
                String.valueOf(capacity),
                String.valueOf(node.allocatable().getOrDefault(name, 0L))));
    return table.isEmpty() ? "no extended resources\n" : table.toString();
  }
}
