package dev.patchbay.bench;

import java.util.Locale;

/// What a measured number counts, and how it is shown.
enum Unit {
  /// Counted in nanoseconds.
  MILLISECONDS(1_000_000, "ms"),
  /// Counted in nanoseconds.
  MICROSECONDS(1_000, "µs"),
  /// Counted in bytes.
  MEBIBYTES(1 << 20, "MiB");

  private final double size;
  private final String symbol;

  Unit(double size, String symbol) {
    this.size = size;
    this.symbol = symbol;
  }

  /// Three digits that matter, and the unit: `12.3 ms`.
  String show(long count) {
    double value = count / size;
    int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
    return String.format(Locale.ROOT, "%." + decimals + "f %s", value, symbol);
  }
}
