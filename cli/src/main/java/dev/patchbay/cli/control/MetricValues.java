package dev.patchbay.cli.control;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Metrics as the protocol shows them: `name,label=value` and a number, for a histogram its count.
final class MetricValues {
  private static final Pattern SAMPLE =
      Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)\\})? (\\S+)");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]++|\\\\.)*+)\"");

  private MetricValues() {}

  /// @param page in Prometheus' text format
  /// @param prefix of the names that are wanted
  static ObjectNode of(String page, String prefix) {
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    for (String line : page.lines().toList()) {
      Matcher sample = SAMPLE.matcher(line);
      if (!sample.matches() || !sample.group(1).startsWith(prefix)) continue;
      String name = sample.group(1);
      if (name.endsWith("_bucket") || name.endsWith("_seconds_sum") || name.endsWith("_ms_sum"))
        continue;
      var text = new StringBuilder(name.replaceAll("_(seconds|ms)_count$", "_$1"));
      if (sample.group(2) != null) {
        Matcher label = LABEL.matcher(sample.group(2));
        while (label.find())
          text.append(',').append(label.group(1)).append('=').append(label.group(2));
      }
      answer.put(text.toString(), Double.parseDouble(sample.group(3)));
    }
    return answer;
  }
}
