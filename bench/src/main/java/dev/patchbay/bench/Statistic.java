package dev.patchbay.bench;

import java.util.List;

/// One number that stands for many samples.
enum Statistic {
  /// Half of the samples are not above it.
  MEDIAN("p50", 0.5),
  /// 99 of 100 samples are not above it.
  P99("p99", 0.99),
  /// No sample is above it.
  MAX("max", 1);

  private final String label;
  private final double share;

  Statistic(String label, double share) {
    this.label = label;
    this.share = share;
  }

  /// Those that say something about so many samples.
  static List<Statistic> of(int samples) {
    if (samples >= 100) return List.of(MEDIAN, P99, MAX);
    return samples >= 5 ? List.of(MEDIAN, MAX) : List.of(MEDIAN);
  }

  String label() {
    return label;
  }

  /// By the nearest rank: always one of the samples.
  ///
  /// @param sorted ascending, at least one
  long of(long[] sorted) {
    int rank = (int) Math.ceil(share * sorted.length);
    return sorted[Math.max(rank, 1) - 1];
  }
}
