package dev.patchbay.kubelet.pods;

import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import java.util.List;

/// The quality of service that a pod's cpu and memory give it (`ComputePodQOS` in Kubernetes'
/// `pkg/apis/core/v1/helper/qos`). Other resources do not count.
public enum QosClass {
  /// Every container has limits of cpu and memory, and its requests are equal to them.
  GUARANTEED,
  /// Something between.
  BURSTABLE,
  /// No cpu and no memory is asked for.
  BEST_EFFORT;

  private static final List<String> COUNTED = List.of("cpu", "memory");

  static QosClass of(PodSpec pod) {
    if (isCounted(pod.resources())) return of(List.of(pod.resources()));
    return of(pod.allContainers().stream().map(ContainerSpec::resources).toList());
  }

  private static QosClass of(List<NativeResources> all) {
    if (all.stream().noneMatch(QosClass::isCounted)) return BEST_EFFORT;
    return all.stream().allMatch(QosClass::isGuaranteed) ? GUARANTEED : BURSTABLE;
  }

  private static boolean isCounted(NativeResources resources) {
    return COUNTED.stream().anyMatch(name -> resources.request(name) > 0);
  }

  private static boolean isGuaranteed(NativeResources resources) {
    return COUNTED.stream()
        .allMatch(
            name -> resources.limit(name) > 0 && resources.limit(name) == resources.request(name));
  }

  /// As the API writes it: `Guaranteed`, `Burstable`, `BestEffort`.
  @Override
  public String toString() {
    return switch (this) {
      case GUARANTEED -> "Guaranteed";
      case BURSTABLE -> "Burstable";
      case BEST_EFFORT -> "BestEffort";
    };
  }
}
