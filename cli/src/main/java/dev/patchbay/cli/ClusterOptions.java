package dev.patchbay.cli;

import dev.patchbay.cluster.ClusterConfig;
import dev.patchbay.cluster.NodeTaint;
import dev.patchbay.kubelet.config.KubeletConfiguration;
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

  /// What they say of a node with this configuration.
  ///
  /// @throws ParameterException when one of them is wrong
  ClusterConfig config(CommandLine command, KubeletConfiguration node) {
    try {
      return ClusterConfig.of(
              kubeconfig.orElseThrow().toAbsolutePath().normalize(),
              nodeName.orElseThrow(),
              "v" + node.minor() + ".0+patchbay-" + Version.number(),
              node.capacity())
          .with(nodeIp, nodeLabels, taints.stream().map(NodeTaint::of).toList());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, String.valueOf(e.getMessage()), e);
    }
  }
}
