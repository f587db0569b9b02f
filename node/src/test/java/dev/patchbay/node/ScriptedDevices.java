package dev.patchbay.node;

import dev.patchbay.kubelet.Admission;
import dev.patchbay.kubelet.KubeletSettings;
import dev.patchbay.kubelet.NodeResources;
import dev.patchbay.kubelet.PodPhase;
import dev.patchbay.kubelet.RuntimeContainer;
import dev.patchbay.kubelet.metrics.KubeletMetrics;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.status.AllocatedResources;
import dev.patchbay.kubelet.status.AllocatedResources.ResourceHealth;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// A device manager without plugins: a test says what the node has and what is refused.
final class ScriptedDevices implements Devices {
  private final Map<ResourceName, List<String>> resources = new TreeMap<>();
  private final SortedMap<String, SortedMap<String, SortedMap<ResourceName, SortedSet<DeviceId>>>>
      held = new TreeMap<>();

  /// All calls that matter for their order.
  final List<String> calls = new CopyOnWriteArrayList<>();

  /// Pods by name that are refused, with the message.
  final Map<String, String> refusals = new ConcurrentHashMap<>();

  /// Containers by name whose run options fail, with the message.
  final Map<String, String> failures = new ConcurrentHashMap<>();

  /// Ids of devices that are listed as unhealthy.
  final Set<String> broken = ConcurrentHashMap.newKeySet();

  /// What a container with any device gets.
  volatile ContainerEdits edits = ContainerEdits.ofEnv("DEVICE", "1");

  synchronized void offer(String resource, String... ids) {
    resources.put(ResourceName.of(resource), List.of(ids));
    notifyAll();
  }

  @Override
  public void start(Set<RuntimeContainer> running) {
    calls.add("start " + running.stream().map(RuntimeContainer::container).sorted().toList());
  }

  @Override
  public void sourcesReady() {
    calls.add("sources ready");
  }

  @Override
  public void know(PodSpec pod) {
    calls.add("know " + pod.name());
  }

  @Override
  public synchronized Admission admit(PodSpec pod) {
    calls.add("admit " + pod.name());
    String refusal = refusals.get(pod.name());
    if (refusal != null) return new Admission.Refused("UnexpectedAdmissionError", refusal);
    Stream.concat(pod.initContainers().stream(), pod.containers().stream())
        .forEach(container -> hold(pod, container));
    return new Admission.Admitted();
  }

  private void hold(PodSpec pod, ContainerSpec container) {
    container
        .limits()
        .forEach((resource, count) -> {
          List<String> free = new ArrayList<>(resources.getOrDefault(resource, List.of()));
          held.values().stream()
              .flatMap(containers -> containers.values().stream())
              .flatMap(map -> map.getOrDefault(resource, new TreeSet<>()).stream())
              .forEach(id -> free.remove(id.value()));
          NavigableSet<DeviceId> ids = new TreeSet<>();
          free.stream().limit(count).map(DeviceId::of).forEach(ids::add);
          held.computeIfAbsent(pod.uid(), uid -> new TreeMap<>())
              .computeIfAbsent(container.name(), name -> new TreeMap<>())
              .put(resource, ids);
        });
  }

  @Override
  public Optional<ContainerEdits> runOptions(PodSpec pod, String container) throws IOException {
    String failure = failures.get(container);
    if (failure != null) throw new IOException(failure);
    return held().getOrDefault(pod.uid(), new TreeMap<>()).containsKey(container)
        ? Optional.of(edits)
        : Optional.empty();
  }

  @Override
  public synchronized void ended(PodSpec pod, PodPhase phase) {
    held.remove(pod.uid());
    calls.add("ended " + pod.name() + " " + phase);
  }

  @Override
  public synchronized void release(String podUid) {
    if (held.remove(podUid) != null) calls.add("release " + podUid);
  }

  @Override
  public synchronized NodeResources nodeResources() {
    NavigableMap<ResourceName, Long> counts = new TreeMap<>();
    resources.forEach((name, ids) -> counts.put(name, (long) ids.size()));
    return new NodeResources(counts, counts);
  }

  @Override
  public synchronized boolean awaitResources(Predicate<NodeResources> condition, Duration atMost)
      throws InterruptedException {
    while (!condition.test(nodeResources())) wait(atMost.toMillis());
    return true;
  }

  @Override
  public synchronized SortedMap<
          String, SortedMap<String, SortedMap<ResourceName, SortedSet<DeviceId>>>>
      held() {
    return new TreeMap<>(new HashMap<>(held));
  }

  @Override
  public SortedMap<ResourceName, List<ResourceHealth>> health(
      SortedMap<ResourceName, SortedSet<DeviceId>> devices) {
    return AllocatedResources.of(
        devices,
        (_, id) ->
            broken.contains(id.value())
                ? Optional.of(Device.unhealthy(id.value(), "broken"))
                : Optional.empty());
  }

  @Override
  public Instruments instruments() {
    return new Instruments(
        KubeletSettings.of(Path.of("/nonexistent")), new KubeletMetrics(), Optional::empty);
  }

  @Override
  public void close() {
    calls.add("close");
  }
}
