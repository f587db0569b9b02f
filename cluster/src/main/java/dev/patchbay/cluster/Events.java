package dev.patchbay.cluster;

import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.node.PodEvent;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/// Tells the API server what happened, as Event objects of the component `kubelet`. One that is the
/// same as an earlier one is counted there. Telling costs nothing but memory: when the API server
/// is away for long the oldest are lost, as upstream's are. Thread-safe.
final class Events {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.cluster");

  private static final int WAITING = 1000;
  private static final int REMEMBERED = 4096;

  private final KubernetesClient client;
  private final String nodeName;
  private final InstantSource clock;
  private final PodStatuses.Waiting waiting;
  private final BlockingQueue<Told> queue = new ArrayBlockingQueue<>(WAITING);
  private final AtomicLong number = new AtomicLong();
  private final Map<Told, Event> known =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Told, Event> eldest) {
          return size() > REMEMBERED;
        }
      };

  /// What happened to whom.
  private record Told(ObjectReference whom, PodEvent.Kind kind, String reason, String message) {}

  Events(
      KubernetesClient client, String nodeName, InstantSource clock, PodStatuses.Waiting waiting) {
    this.client = client;
    this.nodeName = nodeName;
    this.clock = clock;
    this.waiting = waiting;
  }

  /// Something happened to a pod.
  void tell(PodSpec pod, PodEvent event) {
    boolean init =
        pod.initContainers().stream()
            .anyMatch(it -> Optional.of(it.name()).equals(event.container()));
    String field = init ? "spec.initContainers{%s}" : "spec.containers{%s}";
    offer(
        new Told(
            reference(
                pod.namespace(),
                pod.name(),
                pod.uid(),
                event.container().map(field::formatted).orElse("")),
            event.kind(),
            event.reason(),
            event.message()));
  }

  /// Something is to be said of a pod as it is in the API server.
  void tell(Pod pod, PodEvent.Kind kind, String reason, String message) {
    var meta = pod.getMetadata();
    offer(
        new Told(
            reference(meta.getNamespace(), meta.getName(), meta.getUid(), ""),
            kind,
            reason,
            message));
  }

  /// Something happened to the node.
  void tellOfNode(PodEvent.Kind kind, String reason, String message) {
    ObjectReference node =
        new ObjectReferenceBuilder().withKind("Node").withName(nodeName).withUid(nodeName).build();
    offer(new Told(node, kind, reason, message));
  }

  private static ObjectReference reference(
      String namespace, String name, String uid, String field) {
    return new ObjectReferenceBuilder()
        .withKind("Pod")
        .withApiVersion("v1")
        .withNamespace(namespace)
        .withName(name)
        .withUid(uid)
        .withFieldPath(field.isEmpty() ? null : field)
        .build();
  }

  private void offer(Told event) {
    while (!queue.offer(event)) {
      Told lost = queue.poll();
      if (lost != null)
        LOG.log(
            System.Logger.Level.WARNING,
            "event lost of={0} reason={1}",
            lost.whom.getName(),
            lost.reason);
    }
  }

  /// Says what is to be said, until the thread is interrupted.
  void run() throws InterruptedException {
    while (true) send(queue.take());
  }

  private void send(Told event) throws InterruptedException {
    Retries retries = new Retries();
    while (true) {
      try {
        write(event);
        return;
      } catch (KubernetesClientException e) {
        if (Thread.interrupted()) throw new InterruptedException();
        if (Retries.isFinal(e) || Retries.isDenied(e)) {
          // Also of a namespace that is being deleted.
          LOG.log(
              System.Logger.Level.WARNING,
              "event not taken reason={0} why=\"{1}\"",
              event.reason,
              e.getMessage());
          return;
        }
        waiting.sleep(retries.afterFailure());
      }
    }
  }

  private void write(Told event) {
    String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    Event before = known.get(event);
    if (before != null) {
      try {
        known.put(event, again(before, now));
        return;
      } catch (KubernetesClientException e) {
        if (!Retries.isMissing(e)) throw e;
        known.remove(event); // the API server keeps them for an hour
      }
    }
    known.put(event, created(event, now));
  }

  private Event again(Event before, String now) {
    Event more =
        new EventBuilder(before).withCount(before.getCount() + 1).withLastTimestamp(now).build();
    client
        .v1()
        .events()
        .inNamespace(before.getMetadata().getNamespace())
        .withName(before.getMetadata().getName())
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"count\":%d,\"lastTimestamp\":\"%s\"}".formatted(more.getCount(), now));
    return more;
  }

  private Event created(Told event, String now) {
    String namespace = Optional.ofNullable(event.whom.getNamespace()).orElse("default");
    Event object =
        new EventBuilder()
            .withNewMetadata()
            .withNamespace(namespace)
            .withName(name(event.whom.getName(), clock.instant()))
            .endMetadata()
            .withInvolvedObject(event.whom)
            .withReason(event.reason)
            .withMessage(event.message)
            .withType(event.kind == PodEvent.Kind.NORMAL ? "Normal" : "Warning")
            .withFirstTimestamp(now)
            .withLastTimestamp(now)
            .withCount(1)
            .withNewSource("kubelet", nodeName)
            .withReportingComponent("kubelet")
            .withReportingInstance(nodeName)
            .build();
    client.v1().events().inNamespace(namespace).resource(object).create();
    return object;
  }

  /// As client-go names them: the object's name and a number that grows.
  private String name(String of, Instant now) {
    long nanoseconds = now.getEpochSecond() * 1_000_000_000 + now.getNano();
    return of
        + "."
        + Long.toHexString(
            number.accumulateAndGet(nanoseconds, (last, next) -> Math.max(last + 1, next)));
  }
}
