package dev.patchbay.cluster;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/// Renews the node's lease, by which the cluster knows that it is alive.
///
/// @param node the Node object as it was seen last, which owns the lease; empty before there is one
record NodeLease(
    KubernetesClient client,
    ClusterConfig config,
    InstantSource clock,
    PodStatuses.Waiting waiting,
    java.util.function.Supplier<Optional<Node>> node) {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.cluster");
  private static final String NAMESPACE = "kube-node-lease";

  /// Renews it until the thread is interrupted.
  void run() throws InterruptedException {
    Retries retries = new Retries();
    while (true) {
      Duration pause = config.leasePeriod();
      try {
        renew();
        retries.succeeded();
      } catch (KubernetesClientException e) {
        if (Thread.interrupted()) throw new InterruptedException();
        LOG.log(System.Logger.Level.WARNING, "lease not renewed why=\"{0}\"", e.getMessage());
        Duration retry = retries.afterFailure();
        if (retry.compareTo(pause) < 0) pause = retry;
      }
      waiting.sleep(pause);
    }
  }

  private void renew() {
    var mine = client.resources(Lease.class).inNamespace(NAMESPACE).withName(config.nodeName());
    Lease found = mine.get();
    Lease renewed = renewed(Optional.ofNullable(found));
    var asked = client.resources(Lease.class).inNamespace(NAMESPACE).resource(renewed);
    if (found == null) asked.create();
    else asked.update();
  }

  private Lease renewed(Optional<Lease> found) {
    Instant now = clock.instant();
    return new LeaseBuilder(found.orElseGet(Lease::new))
        .editOrNewMetadata()
        .withName(config.nodeName())
        .withNamespace(NAMESPACE)
        .withOwnerReferences(owners())
        .endMetadata()
        .editOrNewSpec()
        .withHolderIdentity(config.nodeName())
        .withLeaseDurationSeconds(
            (int) Math.max(1, config.leasePeriod().multipliedBy(4).toSeconds()))
        .withRenewTime(now.atZone(ZoneOffset.UTC))
        .endSpec()
        .build();
  }

  private List<OwnerReference> owners() {
    return node.get().stream()
        .map(it ->
            new OwnerReferenceBuilder()
                .withApiVersion("v1")
                .withKind("Node")
                .withName(it.getMetadata().getName())
                .withUid(it.getMetadata().getUid())
                .build())
        .toList();
  }
}
