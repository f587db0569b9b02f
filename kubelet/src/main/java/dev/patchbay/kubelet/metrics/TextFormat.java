package dev.patchbay.kubelet.metrics;

import dev.patchbay.kubelet.metrics.Figures.Reading;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;

/// Writes metrics as a Prometheus server reads them: [text
/// format](https://prometheus.io/docs/instrumenting/exposition_formats/), version 0.0.4.
///
/// A metric with labels that nobody has counted yet does not appear, as with the kubelet.
final class TextFormat {
  private final StringBuilder text = new StringBuilder(8192);

  /// Appends a metric that is counted.
  void figures(Metric metric, SortedMap<List<String>, Reading> figures) {
    if (figures.isEmpty()) return;
    head(metric);
    figures.forEach((values, reading) -> {
      if (metric.kind() == Metric.Kind.HISTOGRAM) histogram(metric, values, reading);
      else line(metric.text(), labels(metric, values), Long.toString(reading.count()));
    });
  }

  /// Appends a metric whose values are known only now.
  void values(Metric metric, SortedMap<List<String>, Long> values) {
    if (values.isEmpty()) return;
    head(metric);
    for (Map.Entry<List<String>, Long> each : values.entrySet())
      line(metric.text(), labels(metric, each.getKey()), Long.toString(each.getValue()));
  }

  private void head(Metric metric) {
    text.append("# HELP ").append(metric.text()).append(" [ALPHA] ").append(metric.help());
    text.append("\n# TYPE ").append(metric.text()).append(' ');
    text.append(metric.kind().name().toLowerCase(Locale.ROOT)).append('\n');
  }

  private void histogram(Metric metric, List<String> values, Reading reading) {
    String labels = labels(metric, values);
    double[] bounds = metric.bounds();
    for (int i = 0; i <= bounds.length; i++) {
      String bound = i < bounds.length ? number(bounds[i]) : "+Inf";
      line(
          metric.text() + "_bucket",
          labels + (labels.isEmpty() ? "" : ",") + "le=\"" + bound + "\"",
          Long.toString(reading.counts().get(i)));
    }
    line(metric.text() + "_sum", labels, number(reading.sum()));
    line(metric.text() + "_count", labels, Long.toString(reading.count()));
  }

  private void line(String name, String labels, String value) {
    text.append(name);
    if (!labels.isEmpty()) text.append('{').append(labels).append('}');
    text.append(' ').append(value).append('\n');
  }

  private static String labels(Metric metric, List<String> values) {
    var labels = new StringBuilder();
    for (int i = 0; i < values.size(); i++)
      labels
          .append(i == 0 ? "" : ",")
          .append(metric.labels().get(i))
          .append("=\"")
          .append(escaped(values.get(i)))
          .append('"');
    return labels.toString();
  }

  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }

  /// Whole numbers without a point, others with as many digits as they need.
  private static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
