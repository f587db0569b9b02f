package dev.patchbay.kubelet.pods;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Reads what a container, or a pod as a whole, asks for of what the node itself has.
final class NativeQuantities {
  private final PodReader pod;
  private final String at;

  NativeQuantities(PodReader pod, String at) {
    this.pod = pod;
    this.at = at;
  }

  NativeResources read(@Nullable ResourceRequirements resources) {
    if (resources == null) return NativeResources.NONE;
    return new NativeResources(
        amounts(at + ".requests", resources.getRequests()),
        amounts(at + ".limits", resources.getLimits()));
  }

  private SortedMap<String, Long> amounts(String field, @Nullable Map<String, Quantity> given) {
    SortedMap<String, Long> amounts = new TreeMap<>();
    if (given == null) return amounts;
    given.forEach((name, quantity) -> {
      if (ExtendedResources.isNative(name))
        amounts.put(name, amount(ManifestDocument.at(field, name), name, quantity));
    });
    return amounts;
  }

  private long amount(String field, String name, @Nullable Quantity quantity) {
    if (quantity == null) {
      pod.problem(field, "is empty; needed is a quantity");
      return 0;
    }
    try {
      long amount = Quantities.amount(name, quantity);
      if (quantity.getNumericalAmount().signum() < 0)
        pod.problem(field, "\"" + quantity + "\" is negative");
      return amount;
    } catch (IllegalArgumentException | ArithmeticException e) {
      pod.problem(field, "\"" + quantity + "\" is no quantity");
      return 0;
    }
  }
}
