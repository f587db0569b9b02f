package dev.patchbay.cluster;

import dev.patchbay.node.PodEvent;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeStatus;
import java.util.Map;
import java.util.Optional;

/// The events of a node, as upstream's kubelet tells them when it writes the node's status. Used by
/// one thread.
///
/// Facts: `nodestatus/setters.go` (conditions, MachineInfo) and `kubelet_node_status.go`
/// (recordNodeSchedulableEvent) of Kubernetes 1.36.
final class NodeNews {
  private static final String READY = "Ready";

  /// Reasons by a condition's type and status.
  private static final Map<String, String> REASONS =
      Map.of(
          "MemoryPressure=False", "NodeHasSufficientMemory",
          "DiskPressure=False", "NodeHasNoDiskPressure",
          "PIDPressure=False", "NodeHasSufficientPID",
          "Ready=True", "NodeReady",
          "Ready=False", "NodeNotReady");

  private final Events events;
  private final String nodeName;
  private boolean unschedulable;
  private boolean rebootTold;

  NodeNews(Events events, String nodeName) {
    this.events = events;
    this.nodeName = nodeName;
  }

  /// A status was written in place of another, of which nothing is known when the node is new.
  void written(NodeStatus before, NodeStatus after) {
    for (NodeCondition condition : after.getConditions()) {
      Optional<String> was = statusOf(before, condition.getType());
      // That a node begins as ready, or not, is no news.
      boolean isNews = was.isPresent() || !condition.getType().equals(READY);
      if (isNews && !was.equals(Optional.of(condition.getStatus())))
        tell(
            REASONS.getOrDefault(
                condition.getType() + "=" + condition.getStatus(), condition.getReason()));
    }
    String boot = bootId(before);
    if (!rebootTold && !boot.isEmpty() && !boot.equals(bootId(after))) {
      rebootTold = true;
      events.tellOfNode(
          PodEvent.Kind.WARNING,
          "Rebooted",
          "Node %s has been rebooted, boot id: %s".formatted(nodeName, bootId(after)));
    }
  }

  /// Whether pods may be bound to it, which others decide.
  void seen(Node node) {
    boolean now = node.getSpec() != null && Boolean.TRUE.equals(node.getSpec().getUnschedulable());
    if (now != unschedulable) tell(now ? "NodeNotSchedulable" : "NodeSchedulable");
    unschedulable = now;
  }

  private void tell(String reason) {
    events.tellOfNode(
        PodEvent.Kind.NORMAL, reason, "Node %s status is now: %s".formatted(nodeName, reason));
  }

  private static Optional<String> statusOf(NodeStatus status, String type) {
    return status.getConditions().stream()
        .filter(it -> it.getType().equals(type))
        .map(NodeCondition::getStatus)
        .findFirst();
  }

  private static String bootId(NodeStatus status) {
    return status.getNodeInfo() == null || status.getNodeInfo().getBootID() == null
        ? ""
        : status.getNodeInfo().getBootID();
  }
}
