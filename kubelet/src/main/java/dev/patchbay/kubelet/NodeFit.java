package dev.patchbay.kubelet;

import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.model.ResourceName;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SortedMap;

/// Whether the node has room for a pod beside the others (the predicates of Kubernetes'
/// `pkg/kubelet/lifecycle/predicate.go`). They run when the pod's devices are allocated already.
///
/// @param nodeAllocatable what of the node itself pods can have; what is not named is not checked
/// @param devices what plugins offer, as the node shows it
/// @param state who holds what
record NodeFit(
    Map<String, Long> nodeAllocatable,
    Map<ResourceName, Long> devices,
    DeviceState state,
    UnknownResources unknown) {
  private static final String PODS = "pods";

  /// In this order the scheduler's check looks at them.
  private static final List<String> FIRST = List.of("cpu", "memory", "ephemeral-storage");

  /// Why the pod does not fit.
  ///
  /// @param others the active pods beside it
  Optional<Admission.Refused> refusal(PodSpec pod, Collection<PodSpec> others) {
    Long mostPods = nodeAllocatable.get(PODS);
    if (mostPods != null && others.size() + 1 > mostPods)
      return Optional.of(refused(PODS, 1, others.size(), mostPods));
    List<SortedMap<String, Long>> theirs = others.stream().map(PodRequests::of).toList();
    for (Map.Entry<String, Long> request : inOrder(PodRequests.of(pod)).entrySet()) {
      String name = request.getKey();
      if (request.getValue() == 0) continue;
      Optional<Long> capacity = capacity(name, pod);
      if (capacity.isEmpty()) continue;
      long used = theirs.stream().mapToLong(each -> each.getOrDefault(name, 0L)).sum();
      if (request.getValue() > capacity.get() - used)
        return Optional.of(refused(name, request.getValue(), used, capacity.get()));
    }
    return Optional.empty();
  }

  private static SequencedMap<String, Long> inOrder(Map<String, Long> requests) {
    SequencedMap<String, Long> ordered = new LinkedHashMap<>();
    for (String name : FIRST) if (requests.containsKey(name)) ordered.put(name, requests.get(name));
    requests.forEach(ordered::putIfAbsent);
    return ordered;
  }

  /// What the node has of it; empty when it is not checked here.
  private Optional<Long> capacity(String name, PodSpec pod) {
    if (ResourceName.problemOf(name).isPresent())
      return Optional.ofNullable(nodeAllocatable.get(name));
    ResourceName resource = ResourceName.of(name);
    // A pod that holds devices is not refused because the node's numbers lag behind.
    boolean holds = state.allocations().byPod().containsKey(pod.uid());
    long atLeast = holds ? state.allocations().countOf(resource) : 0;
    Long shown = devices.get(resource);
    if (shown == null && atLeast == 0)
      return switch (unknown) {
        case IGNORE -> Optional.empty();
        case REFUSE -> Optional.of(0L);
      };
    return Optional.of(Math.max(shown == null ? 0 : shown, atLeast));
  }

  private static Admission.Refused refused(String name, long requested, long used, long capacity) {
    return new Admission.Refused(
        "OutOf" + name,
        "Node didn't have enough resource: %s, requested: %d, used: %d, capacity: %d"
            .formatted(name, requested, used, capacity));
  }
}
