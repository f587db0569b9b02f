package dev.patchbay.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// The samples of one candidate. For one thread.
final class Ledger {
  private final Map<Measure, List<Long>> samples = new EnumMap<>(Measure.class);

  void add(Measure measure, Duration time) {
    add(measure, time.toNanos());
  }

  void add(Measure measure, long count) {
    samples.computeIfAbsent(measure, _ -> new ArrayList<>()).add(count);
  }

  /// Ascending; empty when this was not measured.
  long[] sorted(Measure measure) {
    return samples.getOrDefault(measure, List.of()).stream()
        .mapToLong(Long::longValue)
        .sorted()
        .toArray();
  }
}
