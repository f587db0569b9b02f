package dev.patchbay.kubelet.podresources;

import java.util.Comparator;
import java.util.List;

/// The order in which pods are listed, which nobody may rely on but everybody can compare.
final class PodOrder {
  private static final Comparator<PodHoldings> BY_NAME =
      Comparator.comparing(PodHoldings::namespace).thenComparing(PodHoldings::name);

  private PodOrder() {}

  static List<PodHoldings> sorted(List<PodHoldings> pods) {
    return pods.stream().sorted(BY_NAME).toList();
  }
}
