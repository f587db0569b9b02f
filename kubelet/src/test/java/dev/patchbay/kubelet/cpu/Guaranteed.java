package dev.patchbay.kubelet.cpu;

import dev.patchbay.kubelet.Pods;
import dev.patchbay.kubelet.pods.NativeResources;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Guaranteed pods for tests.
public final class Guaranteed {
  /// Bytes of a mebibyte.
  public static final long MI = 1L << 20;

  private Guaranteed() {}

  /// A pod of these containers, of which those called `init…` and `side…` are init containers.
  public static PodSpec pod(String uid, ContainerSpec... containers) {
    List<ContainerSpec> all = List.of(containers);
    return new PodSpec(
        uid,
        "default",
        uid,
        Map.of(),
        all.stream().filter(Guaranteed::isInit).toList(),
        all.stream().filter(each -> !isInit(each)).toList(),
        PodSpec.RestartPolicy.ALWAYS);
  }

  private static boolean isInit(ContainerSpec container) {
    return container.name().startsWith("init") || container.name().startsWith("side");
  }

  /// A container that asks for thousandths of CPUs and 1 MiB.
  public static ContainerSpec container(String name, long milliCpus) {
    return container(name, Map.of("cpu", milliCpus, "memory", MI));
  }

  /// A container with these requests and limits; one called `side…` is a sidecar.
  public static ContainerSpec container(String name, Map<String, Long> resources) {
    var asked = new TreeMap<>(resources);
    return Pods.container(name, Map.of(), name.startsWith("side"))
        .withResources(new NativeResources(asked, asked));
  }
}
