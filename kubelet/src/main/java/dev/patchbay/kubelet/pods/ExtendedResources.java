package dev.patchbay.kubelet.pods;

import dev.patchbay.model.ResourceName;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a container asks for of extended resources: whole numbers, a limit always, and a request
/// only if it equals the limit (`ValidateContainerResourceRequirements` in Kubernetes'
/// `pkg/apis/core/validation`). What the node itself has, such as `cpu`, is read by
/// [NativeQuantities].
final class ExtendedResources {
  private static final Set<String> NATIVE = Set.of("cpu", "memory", "ephemeral-storage");

  private final PodReader pod;
  private final String at;

  ExtendedResources(PodReader pod, String at) {
    this.pod = pod;
    this.at = at;
  }

  SequencedMap<ResourceName, Long> read(ResourceRequirements resources) {
    pod.refuseUnknown(at, resources.getAdditionalProperties());
    if (!resources.getClaims().isEmpty()) pod.notice(at + ".claims", "are not prepared here");
    SequencedMap<ResourceName, Long> limits = new LinkedHashMap<>();
    quantities(at + ".limits", resources.getLimits())
        .forEach((name, amount) -> limits.put(ResourceName.of(name), amount));
    quantities(at + ".requests", resources.getRequests())
        .forEach((name, amount) -> compare(name, amount, limits.get(ResourceName.of(name))));
    return limits;
  }

  static boolean isNative(String name) {
    return NATIVE.contains(name) || name.startsWith("hugepages-");
  }

  private void compare(String name, long request, @Nullable Long limit) {
    String field = ManifestDocument.at(at + ".requests", name);
    if (limit == null)
      pod.problem(field, "is requested without a limit; an extended resource needs one");
    else if (limit != request)
      pod.problem(field, "is " + request + ", its limit is " + limit + "; both have to be equal");
  }

  private SequencedMap<String, Long> quantities(
      String field, @Nullable Map<String, Quantity> given) {
    SequencedMap<String, Long> amounts = new LinkedHashMap<>();
    if (given == null) return amounts;
    given.forEach((name, quantity) -> {
      if (isNative(name)) return;
      String at = ManifestDocument.at(field, name);
      Optional<String> wrongName = ResourceName.problemOf(name);
      if (wrongName.isPresent()) pod.problem(at, wrongName.get());
      else amount(at, quantity).ifPresent(amount -> amounts.put(name, amount));
    });
    return amounts;
  }

  private Optional<Long> amount(String field, @Nullable Quantity quantity) {
    if (quantity == null) {
      pod.problem(field, "is empty; needed is a whole number");
      return Optional.empty();
    }
    try {
      BigDecimal amount = quantity.getNumericalAmount();
      if (amount.signum() < 0) return refused(field, quantity, "is negative");
      if (amount.precision() - amount.scale() > 19) return refused(field, quantity, "is too large");
      if (amount.stripTrailingZeros().scale() > 0) return refused(field, quantity, "is not whole");
      return Optional.of(amount.longValueExact());
    } catch (ArithmeticException e) {
      return refused(field, quantity, "is too large");
    } catch (IllegalArgumentException e) {
      return refused(field, quantity, "is no quantity");
    }
  }

  private Optional<Long> refused(String field, Quantity quantity, String why) {
    pod.problem(
        field,
        "\"" + quantity + "\" " + why + "; needed is a whole number from 0 to " + Long.MAX_VALUE);
    return Optional.empty();
  }
}
