package dev.patchbay.cli;

import dev.patchbay.node.NodeState;
import dev.patchbay.node.NodeState.ContainerState;
import dev.patchbay.node.NodeState.PodState;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `patchbay pods`: the pods of an embedded kubelet.
@Command(
    name = "pods",
    mixinStandardHelpOptions = true,
    description = "Show the pods of an embedded kubelet: state, reason, devices of each container.")
final class PodsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private NodeDirOption dir = new NodeDirOption();
  @Mixin private OutputOption output = new OutputOption();

  @SuppressWarnings("NullAway.Init")
  PodsCommand() {}

  /// What is shown.
  ///
  /// @param problems of manifests that cannot be read
  private record Pods(List<PodState> pods, List<String> problems) {}

  @Override
  public Integer call() throws Exception {
    NodeState state = dir.read(spec.commandLine().getErr());
    output.print(
        spec.commandLine().getOut(), new Pods(state.pods(), state.problems()), PodsCommand::table);
    return 0;
  }

  /// One row for each container.
  static String table(NodeState state) {
    return table(new Pods(state.pods(), state.problems()));
  }

  private static String table(Pods shown) {
    var table = new Table("NAMESPACE", "POD", "PHASE", "CONTAINER", "STATE", "DEVICES", "REASON");
    for (PodState pod : shown.pods())
      for (ContainerState container : pod.containers())
        table.row(
            pod.namespace(),
            pod.name(),
            OutputOption.word(pod.phase()),
            container.name(),
            OutputOption.word(container.state()),
            devices(container),
            reason(pod, container));
    var text = new StringBuilder(table.isEmpty() ? "no pods\n" : table.toString());
    shown.problems().forEach(problem -> text.append("problem: ").append(problem).append('\n'));
    return text.toString();
  }

  private static String devices(ContainerState container) {
    if (container.devices().isEmpty()) return "-";
    return container.devices().entrySet().stream()
        .map(entry -> entry.getKey() + "=" + String.join(",", entry.getValue()))
        .collect(Collectors.joining(" "));
  }

  private static String reason(PodState pod, ContainerState container) {
    String word = pod.reason().isEmpty() ? container.reason() : pod.reason();
    String message = pod.reason().isEmpty() ? container.message() : pod.message();
    if (word.isEmpty() && message.isEmpty()) return "-";
    return message.isEmpty() ? word : word + ": " + message;
  }
}
