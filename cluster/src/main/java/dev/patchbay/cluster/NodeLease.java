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

  /// Renews it until the thread is interrupted: what was written last is written again with another
  /// time, and read only after somebody else changed it.
  void run() throws InterruptedException {
    Retries retries = new Retries();
    Optional<Lease> known = Optional.empty();
    while (true) {
      Duration pause = config.leasePeriod();
      try {
        known = Optional.of(renew(known));
        retries.succeeded();
      } catch (KubernetesClientException e) {
        if (Thread.interrupted()) throw new InterruptedException();
        boolean outdated = known.isPresent() && (Retries.isConflict(e) || Retries.isMissing(e));
        LOG.log(
            outdated ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
            "lease not renewed why=\"{0}\"",
            e.getMessage());
        known = Optional.empty();
        Duration retry = retries.afterFailure();
        if (retry.compareTo(pause) < 0) pause = retry;
      }
      waiting.sleep(pause);
    }
  }

  private Lease renew(Optional<Lease> known) {
    var leases = client.resources(Lease.class).inNamespace(NAMESPACE);
    Optional<Lease> before =
        known.or(() -> Optional.ofNullable(leases.withName(config.nodeName()).get()));
    var wanted = leases.resource(renewed(before));
    return before.isPresent() ? wanted.update() : wanted.create();
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
