package dev.patchbay.bench.kubelet;

import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;

/// How times grow with a size, as far as times can say.
///
/// The time of the smallest size is taken for what is always to pay; of what is left, the two
/// largest sizes give the exponent. Linear and n log n cannot be told apart by times: between 4,096
/// and 10,000 the latter has an exponent of 1.1.
final class Growth {
  /// More than this times another time counts as more.
  private static final double NOTICEABLE = 1.5;

  private Growth() {}

  /// In words.
  ///
  /// @param micros by size
  static String of(SortedMap<Integer, Long> micros) {
    if (micros.size() < 3) return "–";
    double fixed = micros.firstEntry().getValue();
    Map.Entry<Integer, Long> largest = micros.lastEntry();
    Map.Entry<Integer, Long> before = micros.headMap(largest.getKey()).lastEntry();
    if (largest.getValue() < NOTICEABLE * fixed)
      return String.format(Locale.ROOT, "hardly: %.2f ms throughout", fixed / 1_000);
    long highest = Collections.max(micros.headMap(before.getKey()).values());
    if (highest > NOTICEABLE * before.getValue())
      return String.format(
          Locale.ROOT,
          "not steadily: %.2f to %.2f ms",
          Collections.min(micros.values()) / 1_000.0,
          Collections.max(micros.values()) / 1_000.0);
    double more = largest.getValue() - fixed;
    double moreBefore = before.getValue() - fixed;
    if (moreBefore <= 0) return "from " + before.getKey() + " on";
    double exponent =
        Math.log(more / moreBefore) / Math.log((double) largest.getKey() / before.getKey());
    return String.format(
        Locale.ROOT,
        "%s (n^%.2f): %.2f ms and %.3f ms for each 1,000 devices",
        word(exponent),
        exponent,
        fixed / 1_000,
        more / largest.getKey());
  }

  private static String word(double exponent) {
    if (exponent < 0.7) return "less than linear";
    if (exponent < 1.35) return "linear, or n log n";
    return exponent < 1.7 ? "more than linear" : "quadratic, or worse";
  }
}
