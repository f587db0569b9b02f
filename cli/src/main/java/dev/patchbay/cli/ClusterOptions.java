package dev.patchbay.cli;

import dev.patchbay.cluster.ClusterConfig;
import dev.patchbay.cluster.NodeTaint;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/// How `patchbay kubelet` becomes a node of a cluster. Nothing of the Kubernetes client is loaded
/// before [#config] is called.
final class ClusterOptions {
  /// The version of Kubernetes whose kubelet is followed.
  private static final String FOLLOWED = "v1.36.0";

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description =
          "be a node of the cluster that FILE names: run the pods that are bound to it, instead of manifests")
  private Optional<Path> kubeconfig = Optional.empty();

  @Option(
      names = "--node-name",
      paramLabel = "NAME",
      description = "the node's name; needed with --kubeconfig")
  private Optional<String> nodeName = Optional.empty();

  @Option(
      names = "--node-ip",
      paramLabel = "ADDRESS",
      description = "the node's address (default: the one from which the API server is reached)")
  private Optional<String> nodeIp = Optional.empty();

  @Option(
      names = "--node-label",
      paramLabel = "KEY=VALUE",
      description = "a label of the node, when it is made; may be repeated")
  private Map<String, String> nodeLabels = new LinkedHashMap<>();

  @Option(
      names = "--taint",
      paramLabel = "TAINT",
      description = "KEY=VALUE:EFFECT or KEY:EFFECT, when the node is made; may be repeated")
  private List<String> taints = new ArrayList<>();

  @Option(
      names = "--max-pods",
      paramLabel = "COUNT",
      description = "how many pods may be bound to the node (default: ${DEFAULT-VALUE})")
  private int maxPods = 110;

  /// Whether there is a cluster to be part of.
  boolean areGiven() {
    return kubeconfig.isPresent();
  }

  /// Refuses what makes no sense together.
  void check(CommandLine command, boolean manifests) {
    if (kubeconfig.isPresent() && nodeName.isEmpty())
      throw new ParameterException(command, "--kubeconfig needs --node-name");
    if (kubeconfig.isPresent() && manifests)
      throw new ParameterException(
          command, "--manifests and --kubeconfig exclude each other: pods come from one of them");
    boolean others =
        nodeName.isPresent() || nodeIp.isPresent() || !nodeLabels.isEmpty() || !taints.isEmpty();
    if (kubeconfig.isEmpty() && others)
      throw new ParameterException(
          command, "--node-name, --node-ip, --node-label and --taint need --kubeconfig");
  }

  /// What they say.
  ///
  /// @throws ParameterException when one of them is wrong
  ClusterConfig config(CommandLine command) {
    try {
      return ClusterConfig.of(
              kubeconfig.orElseThrow().toAbsolutePath().normalize(),
              nodeName.orElseThrow(),
              FOLLOWED + "+patchbay-" + Version.number())
          .with(nodeIp, nodeLabels, taints.stream().map(NodeTaint::of).toList(), maxPods);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, String.valueOf(e.getMessage()), e);
    }
  }
}
