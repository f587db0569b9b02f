package dev.patchbay.cluster;

import dev.patchbay.node.NodeState.PodState;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/// Writes the statuses of pods, and deletes those that have ended as they were asked to. What is to
/// be said waits in memory, the newest of each pod only, until the API server takes it.
/// Thread-safe.
final class PodStatuses {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.cluster");

  private final KubernetesClient client;
  private final PodStatusText text;
  private final InstantSource clock;
  private final Waiting waiting;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<String, Told> told = new HashMap<>();
  private final Map<String, Letter> outbox = new LinkedHashMap<>();

  /// How a thread waits for time to pass.
  @FunctionalInterface
  interface Waiting {
    void sleep(Duration time) throws InterruptedException;
  }

  /// What was said of a pod last.
  ///
  /// @param pod what was known of it at first
  private record Told(PodStatusText.Known pod, PodStatus status) {
    Told with(PodStatus newStatus) {
      return new Told(pod, newStatus);
    }
  }

  /// What is to be said of a pod.
  ///
  /// @param delete whether it ended since it was to be deleted
  private record Letter(PodStatusText.Known pod, PodStatus status, boolean delete) {}

  PodStatuses(KubernetesClient client, PodStatusText text, InstantSource clock, Waiting waiting) {
    this.client = client;
    this.text = text;
    this.clock = clock;
    this.waiting = waiting;
  }

  /// A pod of the API server is known here from now on.
  void know(Pod pod) {
    PodStatus status = Optional.ofNullable(pod.getStatus()).orElseGet(PodStatus::new);
    PodStatusText.Known known = PodStatusText.Known.of(pod, status);
    lock.lock();
    try {
      told.putIfAbsent(pod.getMetadata().getUid(), new Told(known, status));
    } finally {
      lock.unlock();
    }
  }

  /// A pod is not in the API server any more.
  void forget(String uid) {
    lock.lock();
    try {
      told.remove(uid);
    } finally {
      lock.unlock();
    }
  }

  /// What the node shows of a pod now.
  void show(PodState now) {
    tell(now.uid(), before -> text.of(before.pod, before.status, now, clock.instant()), false);
  }

  /// A pod cannot be run here.
  void refuse(String uid, String reason, String message) {
    tell(uid, before -> text.refused(before.status, reason, message, clock.instant()), false);
  }

  /// A pod is gone from the node, since it was to be deleted.
  void finish(PodState last) {
    tell(
        last.uid(),
        before -> text.last(text.of(before.pod, before.status, last, clock.instant())),
        true);
  }

  /// A pod that never was on the node is to be deleted.
  void finish(String uid) {
    tell(uid, before -> text.last(before.status), true);
  }

  private void tell(String uid, Function<Told, PodStatus> making, boolean delete) {
    lock.lock();
    try {
      Told before = told.get(uid);
      if (before == null) return; // the API server has forgotten it already
      PodStatus status = making.apply(before);
      if (status.equals(before.status) && !delete) return;
      Letter waits = outbox.get(uid);
      if (waits != null && waits.delete) return; // nothing comes after its end
      told.put(uid, before.with(status));
      outbox.put(uid, new Letter(before.pod, status, delete));
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Says what is to be said, until the thread is interrupted.
  void run() throws InterruptedException {
    Retries retries = new Retries();
    while (true) {
      Letter letter = next();
      try {
        send(letter);
        retries.succeeded();
      } catch (KubernetesClientException e) {
        if (Thread.interrupted()) throw new InterruptedException();
        if (Retries.isFinal(e)) {
          // A pod that was deleted, or another of the same name: nobody waits for this one.
          boolean gone = Retries.isMissing(e) || Retries.isConflict(e);
          LOG.log(
              gone ? System.Logger.Level.DEBUG : System.Logger.Level.ERROR,
              "status not taken pod=" + letter.pod,
              e);
          continue;
        }
        LOG.log(
            System.Logger.Level.WARNING,
            "status not written, tried again pod={0} why=\"{1}\"",
            letter.pod,
            e.getMessage());
        putBack(letter);
        waiting.sleep(retries.afterFailure());
      }
    }
  }

  private Letter next() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (outbox.isEmpty()) changed.await();
      var first = outbox.entrySet().iterator().next();
      outbox.remove(first.getKey());
      return first.getValue();
    } finally {
      lock.unlock();
    }
  }

  private void putBack(Letter letter) {
    lock.lock();
    try {
      outbox.putIfAbsent(letter.pod.uid(), letter);
    } finally {
      lock.unlock();
    }
  }

  private void send(Letter letter) {
    client
        .pods()
        .inNamespace(letter.pod.namespace())
        .withName(letter.pod.name())
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.STRATEGIC_MERGE),
            StatusPatch.of(letter.pod.uid(), letter.status, client.getKubernetesSerialization()));
    if (!letter.delete) return;
    String path =
        "/api/v1/namespaces/%s/pods/%s".formatted(letter.pod.namespace(), letter.pod.name());
    client.raw(
        path,
        "DELETE",
        new DeleteOptionsBuilder()
            .withGracePeriodSeconds(0L)
            .withNewPreconditions()
            .withUid(letter.pod.uid())
            .endPreconditions()
            .build());
    LOG.log(System.Logger.Level.INFO, "pod deleted pod={0}", letter.pod);
  }

  /// The pods of which anything was said.
  List<String> known() {
    lock.lock();
    try {
      return List.copyOf(told.keySet());
    } finally {
      lock.unlock();
    }
  }
}
