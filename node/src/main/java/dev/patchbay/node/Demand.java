package dev.patchbay.node;

import dev.patchbay.kubelet.NodeResources;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.model.ResourceName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/// How much of each resource a pod takes, and whether the node has it now: what the scheduler of a
/// cluster decides before a kubelet sees a pod. A node alone has no scheduler, and refusing a pod
/// for good because its plugin registers a moment later would help nobody; so the pod waits.
final class Demand {
  private Demand() {}

  /// What the pod takes as a whole: its containers and sidecars together, or an init container with
  /// the sidecars before it, whichever is more.
  static NavigableMap<ResourceName, Long> of(PodSpec pod) {
    NavigableMap<ResourceName, Long> steady = new TreeMap<>();
    NavigableMap<ResourceName, Long> peak = new TreeMap<>();
    for (ContainerSpec container : pod.initContainers()) {
      NavigableMap<ResourceName, Long> with = new TreeMap<>(steady);
      container.limits().forEach((name, count) -> with.merge(name, count, Demand::sum));
      with.forEach((name, count) -> peak.merge(name, count, Math::max));
      if (container.sidecar()) steady.putAll(with);
    }
    for (ContainerSpec container : pod.containers())
      container.limits().forEach((name, count) -> steady.merge(name, count, Demand::sum));
    steady.forEach((name, count) -> peak.merge(name, count, Math::max));
    return peak;
  }

  /// Why the pod has to wait, or empty when it fits.
  ///
  /// @param others the pods that have been admitted and have not ended
  static Optional<String> problem(
      PodSpec pod, NodeResources resources, Collection<PodSpec> others) {
    List<String> problems = new ArrayList<>();
    of(pod)
        .forEach((name, wanted) -> {
          if (wanted == 0) return;
          Long allocatable = resources.allocatable().get(name);
          if (allocatable == null) {
            problems.add("no plugin offers " + name);
            return;
          }
          long used =
              others.stream()
                  .map(other -> of(other).getOrDefault(name, 0L))
                  .reduce(0L, Demand::sum);
          if (wanted > allocatable - used)
            problems.add(
                "%s: requested %d, allocatable %d, of these used %d"
                    .formatted(name, wanted, allocatable, used));
        });
    return problems.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", problems));
  }

  /// Kept within range, so that absurd requests do not become small ones.
  private static long sum(long one, long other) {
    long sum = one + other;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }
}
