package dev.patchbay.kubelet.pods;

import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// The containers that some pods have, by the pods' uids.
public final class KnownContainers {
  private final Map<String, Set<String>> names;

  /// All containers of these pods; of two with one uid, those of the later.
  public KnownContainers(Collection<PodSpec> pods) {
    this.names =
        pods.stream()
            .collect(
                Collectors.toMap(PodSpec::uid, KnownContainers::names, (earlier, later) -> later));
  }

  private static Set<String> names(PodSpec pod) {
    return pod.allContainers().stream().map(ContainerSpec::name).collect(Collectors.toSet());
  }

  /// Whether one of the pods has this container.
  public boolean has(String podUid, String container) {
    return names.getOrDefault(podUid, Set.of()).contains(container);
  }
}
