package dev.patchbay.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The samples of one candidate. For one thread.
///
/// @param <M> what is measured
final class Ledger<M extends Enum<M>> {
  private final Map<M, List<Long>> samples = new TreeMap<>();

  void add(M measure, Duration time) {
    add(measure, time.toNanos());
  }

  void add(M measure, long count) {
    samples.computeIfAbsent(measure, _ -> new ArrayList<>()).add(count);
  }

  /// Ascending; empty when this was not measured.
  long[] sorted(M measure) {
    return samples.getOrDefault(measure, List.of()).stream()
        .mapToLong(Long::longValue)
        .sorted()
        .toArray();
  }
}
