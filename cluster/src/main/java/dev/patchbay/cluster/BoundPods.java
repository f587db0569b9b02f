package dev.patchbay.cluster;

import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.node.NodeState.PodState;
import dev.patchbay.node.PodEvent;
import dev.patchbay.node.PodSource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;

/// The pods that are bound to this node, and no others: one list and one watch with the field
/// selector `spec.nodeName`. While the API server is away the pods are those that were known last.
final class BoundPods implements PodSource {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.cluster");

  /// Of pods that the kubelet itself shows of its manifests.
  private static final String MIRROR = "kubernetes.io/config.mirror";

  /// As for a pod whose deletion names none.
  private static final Duration USUAL_GRACE = Duration.ofSeconds(30);

  private final KubernetesClient client;
  private final SharedIndexInformer<Pod> informer;
  private final String address;
  private final PodStatuses statuses;
  private final Events events;
  private final Semaphore changed = new Semaphore(0);
  private final Map<String, PodReading> read = new HashMap<>();
  private final Set<String> finished = ConcurrentHashMap.newKeySet();

  BoundPods(
      KubernetesClient client,
      String nodeName,
      String address,
      PodStatuses statuses,
      Events events) {
    this.client = client;
    this.address = address;
    this.statuses = statuses;
    this.events = events;
    this.informer =
        client.pods().inAnyNamespace().withField("spec.nodeName", nodeName).runnableInformer(0);
  }

  @Override
  public void start() throws IOException, InterruptedException {
    informer.exceptionHandler((_, e) -> {
      LOG.log(
          System.Logger.Level.WARNING, "pods not listed, tried again why=\"{0}\"", e.getMessage());
      return true;
    });
    informer.addEventHandler(new Signal());
    try {
      informer.start().toCompletableFuture().get();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IOException("cannot watch the pods of this node: " + cause.getMessage(), e);
    }
  }

  @Override
  public Wanted read() {
    changed.drainPermits();
    List<Pod> pods =
        informer.getStore().list().stream()
            .filter(pod -> !pod.getMetadata().getAnnotations().containsKey(MIRROR))
            .sorted(
                Comparator.comparing((Pod pod) ->
                        Optional.ofNullable(pod.getMetadata().getCreationTimestamp()).orElse(""))
                    .thenComparing(pod -> pod.getMetadata().getUid()))
            .toList();
    Set<String> there = new HashSet<>();
    pods.forEach(pod -> there.add(pod.getMetadata().getUid()));
    read.keySet().retainAll(there);
    finished.retainAll(there);
    for (String known : statuses.known()) if (!there.contains(known)) statuses.forget(known);
    SequencedMap<String, Asked> asked = new LinkedHashMap<>();
    for (Pod pod : pods) {
      String key = pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
      if (finished.contains(pod.getMetadata().getUid())) continue;
      statuses.know(pod);
      wish(pod, reading(pod)).ifPresent(wish -> asked.put(key, wish));
    }
    return new Wanted(asked, List.of());
  }

  /// A pod's spec stays what it was when the pod was first seen: what of it may change, such as a
  /// label, changes nothing here.
  private PodReading reading(Pod pod) {
    String uid = pod.getMetadata().getUid();
    PodReading known = read.get(uid);
    if (known != null) return known;
    PodReading reading = PodReading.of(pod, address, client.getKubernetesSerialization());
    read.put(uid, reading);
    if (isOver(pod) || isToEnd(pod)) return reading;
    switch (reading) {
      case PodReading.Understood(PodSpec _, String leftOut) -> {
        if (!leftOut.isEmpty()) events.tell(pod, PodEvent.Kind.WARNING, "PartlyFollowed", leftOut);
      }
      case PodReading.Unsupported(String why) -> {
        LOG.log(
            System.Logger.Level.ERROR,
            "pod refused pod={0}/{1} why=\"{2}\"",
            pod.getMetadata().getNamespace(),
            pod.getMetadata().getName(),
            why);
        events.tell(pod, PodEvent.Kind.WARNING, "PodFeatureUnsupported", why);
        statuses.refuse(uid, "PodFeatureUnsupported", why);
      }
    }
    return reading;
  }

  private Optional<Asked> wish(Pod pod, PodReading reading) {
    return switch (reading) {
      case PodReading.Understood(PodSpec spec, String _) ->
          Optional.of(new Asked(spec, "API server", wish(pod)));
      case PodReading.Unsupported _ -> {
        if (isToEnd(pod) && finished.add(pod.getMetadata().getUid()))
          statuses.finish(pod.getMetadata().getUid());
        yield Optional.empty();
      }
    };
  }

  private static Wish wish(Pod pod) {
    if (isToEnd(pod)) return new Wish.End(grace(pod));
    return isOver(pod) ? new Wish.Keep() : new Wish.RunNow();
  }

  private static boolean isToEnd(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() != null;
  }

  private static boolean isOver(Pod pod) {
    String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
    return "Succeeded".equals(phase) || "Failed".equals(phase);
  }

  private static Duration grace(Pod pod) {
    Long seconds = pod.getMetadata().getDeletionGracePeriodSeconds();
    return seconds == null ? USUAL_GRACE : Duration.ofSeconds(seconds);
  }

  @Override
  public void await() throws InterruptedException {
    changed.acquire();
  }

  @Override
  public void happened(PodSpec pod, PodEvent event) {
    events.tell(pod, event);
  }

  @Override
  public void gone(PodSpec pod, PodState last) {
    if (finished.add(pod.uid())) statuses.finish(last);
  }

  @Override
  public void close() {
    informer.stop();
  }

  /// Wakes who waits; what changed is read from the store.
  private final class Signal implements ResourceEventHandler<Pod> {
    @Override
    public void onAdd(Pod pod) {
      changed.release();
    }

    @Override
    public void onUpdate(Pod before, Pod pod) {
      changed.release();
    }

    @Override
    public void onDelete(Pod pod, boolean unknown) {
      changed.release();
    }
  }
}
