package dev.patchbay.kubelet;

import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.model.ResourceName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Pods for tests.
public final class Pods {
  static final ResourceName GPU = ResourceName.of("vendor.example/gpu");
  static final ResourceName NIC = ResourceName.of("vendor.example/nic");

  private Pods() {}

  /// A pod with one container, `main`, that wants so many GPUs.
  static PodSpec pod(String uid, long gpus) {
    return pod(uid, List.of(), container("main", gpus));
  }

  static PodSpec pod(String uid, List<ContainerSpec> init, ContainerSpec... containers) {
    return new PodSpec(
        uid, "default", uid, Map.of(), init, List.of(containers), PodSpec.RestartPolicy.ALWAYS);
  }

  /// A container that wants so many GPUs.
  static ContainerSpec container(String name, long gpus) {
    return container(name, Map.of(GPU, gpus), false);
  }

  static ContainerSpec sidecar(String name, long gpus) {
    return container(name, Map.of(GPU, gpus), true);
  }

  /// A container that asks for extended resources alone.
  public static ContainerSpec container(
      String name, Map<ResourceName, Long> limits, boolean sidecar) {
    return new ContainerSpec(
        name,
        "image",
        List.of(),
        List.of(),
        "",
        new LinkedHashMap<>(),
        new LinkedHashMap<>(limits),
        sidecar);
  }
}
