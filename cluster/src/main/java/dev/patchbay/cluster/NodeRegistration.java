package dev.patchbay.cluster;

import dev.patchbay.kubelet.status.NodeQuantities;
import dev.patchbay.model.ResourceName;
import dev.patchbay.node.NodeState;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// Makes the Node object, also again after somebody deleted it, and keeps its status. [#run]
/// belongs to one thread; [#node] may be asked by any.
final class NodeRegistration {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.cluster");

  private final KubernetesClient client;
  private final ClusterConfig config;
  private final SortedMap<String, Long> reserved;
  private final NodeStatusText text;
  private final InstantSource clock;
  private final boolean resets;
  private NodeQuantities quantities = NodeQuantities.NONE;
  private Optional<NodeStatus> written = Optional.empty();
  private Instant writtenAt = Instant.EPOCH;
  private boolean begun;
  private volatile Optional<Node> node = Optional.empty();

  /// @param reserved what of the node's capacity is not for pods
  /// @param resets whether extended resources of a Node object that is found at the start are those
  ///   of another machine: [NodeQuantities#isResetDue]
  NodeRegistration(
      KubernetesClient client,
      ClusterConfig config,
      SortedMap<String, Long> reserved,
      NodeStatusText text,
      InstantSource clock,
      boolean resets) {
    this.client = client;
    this.config = config;
    this.reserved = reserved;
    this.text = text;
    this.clock = clock;
    this.resets = resets;
  }

  /// The object as it was seen last.
  Optional<Node> node() {
    return node;
  }

  /// Looks once whether the API server knows what is true now, and tells it if not.
  ///
  /// @param resources the node's extended resources
  /// @throws KubernetesClientException when the API server does not take it; to be tried again
  void look(NodeState.Resources resources) {
    Instant now = clock.instant();
    Node found = client.nodes().withName(config.nodeName()).get();
    if (found == null) {
      quantities = next(NodeQuantities.NONE, resources);
      found = client.nodes().resource(text.node(quantities, now)).create();
      node = Optional.of(found);
      begun = true;
      written = Optional.empty();
      LOG.log(System.Logger.Level.INFO, "node registered node={0}", config.nodeName());
    } else if (!begun) {
      takeOver(found);
    }
    node = Optional.of(found);
    quantities = next(quantities, resources);
    NodeStatus status =
        text.status(
            quantities,
            found.getStatus() == null ? List.of() : found.getStatus().getConditions(),
            now);
    boolean changed =
        written
            .map(it -> !NodeStatusText.timeless(it).equals(NodeStatusText.timeless(status)))
            .orElse(true);
    boolean due = Duration.between(writtenAt, now).compareTo(config.reportPeriod()) >= 0;
    if (!changed && !due) return;
    client
        .nodes()
        .withName(config.nodeName())
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.STRATEGIC_MERGE),
            client.getKubernetesSerialization().asJson(Map.of("status", status)));
    written = Optional.of(status);
    writtenAt = now;
  }

  /// An object that was there before this kubelet.
  private void takeOver(Node found) {
    quantities =
        found.getStatus() == null
            ? NodeQuantities.NONE
            : new NodeQuantities(
                Quantities.amounts(found.getStatus().getCapacity()),
                Quantities.amounts(found.getStatus().getAllocatable()));
    if (resets) quantities = quantities.reset();
    Map<String, String> labels =
        Optional.ofNullable(found.getMetadata().getLabels()).orElse(Map.of());
    if (!labels.entrySet().containsAll(text.ownLabels().entrySet()))
      client
          .nodes()
          .withName(config.nodeName())
          .patch(
              PatchContext.of(PatchType.STRATEGIC_MERGE),
              client
                  .getKubernetesSerialization()
                  .asJson(Map.of("metadata", Map.of("labels", text.ownLabels()))));
    begun = true;
    LOG.log(System.Logger.Level.INFO, "node taken over node={0}", config.nodeName());
  }

  private NodeQuantities next(NodeQuantities before, NodeState.Resources resources) {
    return before.next(
        config.capacity(),
        reserved,
        new NodeQuantities.Plugins(
            named(resources.capacity()), named(resources.allocatable()), Set.of()));
  }

  private static SortedMap<ResourceName, Long> named(SortedMap<String, Long> counts) {
    SortedMap<ResourceName, Long> named = new TreeMap<>();
    counts.forEach((name, count) -> named.put(ResourceName.of(name), count));
    return named;
  }
}
