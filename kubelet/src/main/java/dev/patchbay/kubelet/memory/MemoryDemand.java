package dev.patchbay.kubelet.memory;

import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.pods.QosClass;
import java.util.SortedMap;
import java.util.TreeMap;

/// How much memory of which type containers and pods ask for, in bytes by type.
final class MemoryDemand {
  private MemoryDemand() {}

  /// Whether the pod's memory is bound at all: it is Guaranteed, by its containers and not as a
  /// whole.
  static boolean isBound(PodSpec pod) {
    return pod.qosClass() == QosClass.GUARANTEED && pod.resources().isEmpty();
  }

  static SortedMap<String, Long> of(ContainerSpec container) {
    SortedMap<String, Long> demand = new TreeMap<>();
    container
        .resources()
        .requests()
        .forEach((type, bytes) -> {
          if (type.equals("memory") || type.startsWith("hugepages-")) demand.put(type, bytes);
        });
    return demand;
  }

  /// The most that containers of the pod have at one time. A type that only init containers ask for
  /// is left out, as the kubelet does.
  static SortedMap<String, Long> of(PodSpec pod) {
    SortedMap<String, Long> most = new TreeMap<>();
    SortedMap<String, Long> sidecars = new TreeMap<>();
    for (ContainerSpec container : pod.initContainers())
      of(container)
          .forEach((type, bytes) -> {
            if (container.sidecar()) sidecars.merge(type, bytes, Long::sum);
            else most.merge(type, sidecars.getOrDefault(type, 0L) + bytes, Math::max);
          });
    SortedMap<String, Long> demand = new TreeMap<>();
    for (ContainerSpec container : pod.containers())
      of(container).forEach((type, bytes) -> demand.merge(type, bytes, Long::sum));
    demand.replaceAll((type, bytes) ->
        Math.max(bytes + sidecars.getOrDefault(type, 0L), most.getOrDefault(type, 0L)));
    return demand;
  }
}
