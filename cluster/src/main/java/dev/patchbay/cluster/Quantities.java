package dev.patchbay.cluster;

import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// Amounts of resources as the API server writes them.
final class Quantities {
  private Quantities() {}

  /// Thousandths of a core become `2` or `1500m`; bytes and numbers stay what they are.
  static SortedMap<String, Quantity> of(SortedMap<String, Long> amounts) {
    SortedMap<String, Quantity> quantities = new TreeMap<>();
    amounts.forEach((name, amount) -> quantities.put(name, new Quantity(text(name, amount))));
    return quantities;
  }

  private static String text(String name, long amount) {
    if (!name.equals("cpu")) return Long.toString(amount);
    return amount % 1000 == 0 ? Long.toString(amount / 1000) : amount + "m";
  }

  /// The other way; what is no whole number is rounded down.
  static SortedMap<String, Long> amounts(Map<String, Quantity> quantities) {
    SortedMap<String, Long> amounts = new TreeMap<>();
    quantities.forEach((name, quantity) -> {
      BigDecimal amount = quantity.getNumericalAmount();
      amounts.put(name, (name.equals("cpu") ? amount.movePointRight(3) : amount).longValue());
    });
    return amounts;
  }
}
