package dev.patchbay.kubelet.metrics;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;

/// The numbers of all metrics that are counted, by the values of their labels. Thread-safe; nobody
/// waits for anybody.
///
/// Who registers a plugin chooses a label's value. So that it cannot fill the memory, a metric has
/// at most [#MAX_SERIES] combinations, what comes after them is counted together, and a value is
/// cut at [#MAX_VALUE] characters. A zero byte, at which Prometheus would stop to read the page,
/// and the other control characters but the end of a line do not get in either.
final class Figures {
  static final int MAX_SERIES = 1000;

  /// More than the longest name of a resource.
  static final int MAX_VALUE = 320;

  /// The value of all labels of what is counted together.
  static final String OTHERS = "Other";

  private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}&&[^\n]]");

  private final Map<Metric, Map<List<String>, Figure>> all = new EnumMap<>(Metric.class);

  /// One combination of labels. A counter is a figure without bounds whose count matters.
  static final class Figure {
    private final double[] bounds;
    private final LongAdder[] buckets;
    private final DoubleAdder sum = new DoubleAdder();

    Figure(double... bounds) {
      this.bounds = bounds;
      buckets = new LongAdder[bounds.length + 1];
      for (int i = 0; i < buckets.length; i++) buckets[i] = new LongAdder();
    }

    private void observe(double value) {
      int bucket = 0;
      while (bucket < bounds.length && value > bounds[bucket]) bucket++;
      sum.add(value);
      buckets[bucket].increment();
    }

    private Reading read() {
      List<Long> counts = new ArrayList<>(buckets.length);
      long upTo = 0;
      for (LongAdder bucket : buckets) {
        upTo += bucket.sum();
        counts.add(upTo);
      }
      return new Reading(counts, sum.sum());
    }
  }

  /// A figure at one moment.
  ///
  /// @param counts up to each bound, the infinite one last; a counter has that alone
  record Reading(List<Long> counts, double sum) {
    Reading {
      counts = List.copyOf(counts);
    }

    long count() {
      return counts.getLast();
    }
  }

  Figures() {
    for (Metric metric : Metric.values()) {
      all.put(metric, new ConcurrentHashMap<>());
      if (metric.labels().isEmpty()) show(metric);
    }
  }

  /// Makes it appear, with zero, before anything was counted.
  void show(Metric metric, String... values) {
    var _ = figure(metric, List.of(values));
  }

  void count(Metric metric, String... values) {
    figure(metric, List.of(values)).buckets[0].increment();
  }

  void observe(Metric metric, double value, String... values) {
    figure(metric, List.of(values)).observe(value);
  }

  private Figure figure(Metric metric, List<String> values) {
    if (values.size() != metric.labels().size())
      throw new IllegalArgumentException(metric + " has labels " + metric.labels() + ": " + values);
    Map<List<String>, Figure> ofMetric = all.getOrDefault(metric, Map.of());
    List<String> key = values.stream().map(Figures::label).toList();
    Figure known = ofMetric.get(key);
    if (known != null) return known;
    if (ofMetric.size() >= MAX_SERIES) key = values.stream().map(_ -> OTHERS).toList();
    return ofMetric.computeIfAbsent(key, _ -> new Figure(metric.bounds()));
  }

  /// What becomes of a value that anybody could have chosen.
  static String label(String value) {
    String cut = value;
    if (value.length() > MAX_VALUE) {
      boolean halvesAPair = Character.isHighSurrogate(value.charAt(MAX_VALUE - 1));
      cut = value.substring(0, halvesAPair ? MAX_VALUE - 1 : MAX_VALUE);
    }
    return CONTROL.matcher(cut).replaceAll("\uFFFD");
  }

  /// All combinations of a metric, in the order of their values.
  SortedMap<List<String>, Reading> read(Metric metric) {
    SortedMap<List<String>, Reading> readings =
        new TreeMap<>((one, other) -> String.join("\0", one).compareTo(String.join("\0", other)));
    all.getOrDefault(metric, Map.of())
        .forEach((values, figure) -> readings.put(values, figure.read()));
    return Collections.unmodifiableSortedMap(readings);
  }
}
