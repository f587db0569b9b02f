package dev.patchbay.kubelet.pods;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Reads what a container, or a pod as a whole, asks for of what the node itself has.
final class NativeQuantities {
  private static final BigDecimal THOUSAND = BigDecimal.valueOf(1000);
  private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);

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
      BigDecimal amount = quantity.getNumericalAmount();
      if (name.equals("cpu")) amount = amount.multiply(THOUSAND);
      if (amount.signum() < 0) pod.problem(field, "\"" + quantity + "\" is negative");
      return amount.setScale(0, RoundingMode.CEILING).min(MOST).longValueExact();
    } catch (IllegalArgumentException | ArithmeticException e) {
      pod.problem(field, "\"" + quantity + "\" is no quantity");
      return 0;
    }
  }
}
