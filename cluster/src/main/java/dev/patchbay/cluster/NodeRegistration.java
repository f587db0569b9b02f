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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// Makes the Node object, also again after somebody deleted it, and keeps its status. [#look]
/// belongs to one thread; [#node] may be asked by any.
final class NodeRegistration {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.cluster");

  private final KubernetesClient client;
  private final ClusterConfig config;
  private final SortedMap<String, Long> reserved;
  private final NodeStatusText text;
  private final InstantSource clock;
  private final NodeNews news;
  private boolean resetDue;
  private Optional<NodeStatus> written = Optional.empty();
  private Instant writtenAt = Instant.EPOCH;
  private volatile Optional<Node> node = Optional.empty();

  /// @param reserved what of the node's capacity is not for pods
  /// @param resets whether extended resources of a Node object that is found at the start are those
  ///   of another machine: [NodeQuantities#isResetDue]
  /// @param news told of what is written
  NodeRegistration(
      KubernetesClient client,
      ClusterConfig config,
      SortedMap<String, Long> reserved,
      NodeStatusText text,
      InstantSource clock,
      boolean resets,
      NodeNews news) {
    this.client = client;
    this.config = config;
    this.reserved = reserved;
    this.text = text;
    this.clock = clock;
    resetDue = resets;
    this.news = news;
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
    if (found == null) found = made(resources, now);
    boolean isOther = !node.map(NodeRegistration::uid).equals(Optional.of(uid(found)));
    if (isOther) {
      takeOver(found);
      written = Optional.empty();
    }
    node = Optional.of(found);
    NodeStatus before = statusOf(found);
    NodeQuantities shown = quantitiesOf(before);
    NodeQuantities quantities = next(resetDue ? shown.reset() : shown, resources);
    NodeStatus status = text.status(quantities, before.getConditions(), now);
    boolean changed =
        !shows(shown, quantities)
            || written
                .map(it -> !NodeStatusText.timeless(it).equals(NodeStatusText.timeless(status)))
                .orElse(true);
    // A clock that was set back is no reason to be silent until it is where it was.
    boolean due =
        now.isBefore(writtenAt)
            || Duration.between(writtenAt, now).compareTo(config.reportPeriod()) >= 0;
    if (changed || due) {
      write(status);
      resetDue = false;
      written = Optional.of(status);
      writtenAt = now;
      news.written(before, status);
    }
    news.seen(found);
  }

  private Node made(NodeState.Resources resources, Instant now) {
    Node wanted = text.node(next(NodeQuantities.NONE, resources), now);
    Node made = client.nodes().resource(wanted).create();
    LOG.log(System.Logger.Level.INFO, "node registered node={0}", config.nodeName());
    news.written(new NodeStatus(), wanted.getStatus());
    node = Optional.of(made);
    written = Optional.empty();
    resetDue = false;
    return made;
  }

  private void write(NodeStatus status) {
    client
        .nodes()
        .withName(config.nodeName())
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.STRATEGIC_MERGE),
            client.getKubernetesSerialization().asJson(Map.of("status", status)));
  }

  /// An object that somebody else made, or this kubelet before it was started again.
  private void takeOver(Node found) {
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
    LOG.log(System.Logger.Level.INFO, "node taken over node={0}", config.nodeName());
  }

  private static boolean shows(NodeQuantities shown, NodeQuantities wanted) {
    return shown.capacity().entrySet().containsAll(wanted.capacity().entrySet())
        && shown.allocatable().entrySet().containsAll(wanted.allocatable().entrySet());
  }

  private static String uid(Node node) {
    return node.getMetadata().getUid();
  }

  private static NodeStatus statusOf(Node node) {
    return Optional.ofNullable(node.getStatus()).orElseGet(NodeStatus::new);
  }

  /// What the API server shows, somebody else's resources among it.
  private static NodeQuantities quantitiesOf(NodeStatus status) {
    return new NodeQuantities(
        Quantities.amounts(status.getCapacity()), Quantities.amounts(status.getAllocatable()));
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
