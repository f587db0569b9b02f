package dev.patchbay.kubelet.pods;

import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;

/// Kubernetes' quantities, as in `500m`, `100Mi` and `2`, as the whole numbers that are reckoned
/// with here: thousandths of a core for `cpu`, bytes or a count for everything else. What is left
/// of a unit counts as one.
public final class Quantities {
  private static final BigDecimal THOUSAND = BigDecimal.valueOf(1000);
  private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);

  private Quantities() {}

  /// Reads one.
  ///
  /// @param resource whose quantity it is
  /// @throws IllegalArgumentException when it is none; one that is negative can be read
  public static long amount(String resource, String text) {
    try {
      return amount(resource, new Quantity(text));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new IllegalArgumentException("\"" + text + "\" is no quantity", e);
    }
  }

  static long amount(String resource, Quantity quantity) {
    BigDecimal amount = quantity.getNumericalAmount();
    if (resource.equals("cpu")) amount = amount.multiply(THOUSAND);
    return amount.setScale(0, RoundingMode.CEILING).min(MOST).longValueExact();
  }
}
