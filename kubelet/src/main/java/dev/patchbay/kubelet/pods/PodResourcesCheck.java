package dev.patchbay.kubelet.pods;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Resources of the pod as a whole: Kubernetes allows only what the node itself has there.
final class PodResourcesCheck {
  private PodResourcesCheck() {}

  static void check(PodReader pod, @Nullable ResourceRequirements resources) {
    if (resources == null) return;
    check(pod, "spec.resources.limits", resources.getLimits());
    check(pod, "spec.resources.requests", resources.getRequests());
  }

  private static void check(PodReader pod, String field, @Nullable Map<String, Quantity> given) {
    if (given == null) return;
    for (String name : given.keySet())
      if (!ExtendedResources.isNative(name))
        pod.problem(
            ManifestDocument.at(field, name),
            "an extended resource is asked for by a container, not by the whole pod");
  }
}
