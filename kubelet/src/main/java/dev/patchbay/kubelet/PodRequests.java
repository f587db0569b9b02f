package dev.patchbay.kubelet;

import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/// What a pod asks for as a whole (`PodRequests` in Kubernetes' `component-helpers/resource`): its
/// app containers and sidecars together, or an init container with the sidecars that were started
/// before it, whichever is more.
final class PodRequests {
  private PodRequests() {}

  /// Requests of everything by name: of what the node itself has, and of extended resources but
  /// those that dynamic resources stand for.
  static SortedMap<String, Long> of(PodSpec pod) {
    SortedMap<String, Long> requests = sum(pod, container -> requests(pod, container));
    requests.putAll(pod.resources().requests());
    return requests;
  }

  /// Limits of extended resources alone.
  static SortedMap<String, Long> ofDevices(PodSpec pod) {
    return sum(pod, PodRequests::devices);
  }

  private static SortedMap<String, Long> requests(PodSpec pod, ContainerSpec container) {
    SortedMap<String, Long> requests = new TreeMap<>(container.resources().requests());
    container
        .limits()
        .forEach((name, count) -> {
          if (!pod.isDraBacked(container.name(), name)) requests.put(name.toString(), count);
        });
    return requests;
  }

  private static SortedMap<String, Long> devices(ContainerSpec container) {
    SortedMap<String, Long> limits = new TreeMap<>();
    container.limits().forEach((name, count) -> limits.put(name.toString(), count));
    return limits;
  }

  private static SortedMap<String, Long> sum(
      PodSpec pod, Function<ContainerSpec, Map<String, Long>> of) {
    SortedMap<String, Long> running = new TreeMap<>();
    SortedMap<String, Long> most = new TreeMap<>();
    for (ContainerSpec init : pod.initContainers()) {
      SortedMap<String, Long> now = new TreeMap<>(running);
      of.apply(init).forEach((name, count) -> now.merge(name, count, Long::sum));
      now.forEach((name, count) -> most.merge(name, count, Math::max));
      if (init.sidecar()) running.putAll(now);
    }
    for (ContainerSpec app : pod.containers())
      of.apply(app).forEach((name, count) -> running.merge(name, count, Long::sum));
    running.forEach((name, count) -> most.merge(name, count, Math::max));
    return most;
  }
}
