package dev.patchbay.kubelet.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Keeps the table in `docs/reference/metrics.md` true: `-Dgolden.update=true` writes it.
final class MetricsReferenceTest {
  private static final String BEGIN = "| name | kind | labels | counts |\n|---|---|---|---|\n";

  @Test
  void thePageHasEveryMetric() throws IOException {
    Path file = Path.of(System.getProperty("patchbay.root"), "docs/reference/metrics.md");
    String page = Files.readString(file);
    int from = page.indexOf(BEGIN) + BEGIN.length();
    int to = page.indexOf("\n\n", from) + 1;
    if (Boolean.getBoolean("golden.update"))
      Files.writeString(file, page.substring(0, from) + table() + page.substring(to));

    assertThat(page.substring(from, to)).isEqualTo(table());
  }

  private static String table() {
    return Arrays.stream(Metric.values())
        .map(metric ->
            "| `%s` | %s | %s | %s |\n"
                .formatted(
                    metric.text(),
                    metric.kind().name().toLowerCase(Locale.ROOT) + bounds(metric.bounds()),
                    metric.labels().stream()
                        .map(label -> "`" + label + "`")
                        .collect(Collectors.joining(", ")),
                    metric.help()))
        .collect(Collectors.joining());
  }

  private static String bounds(double... bounds) {
    if (bounds.length == 0) return "";
    List<String> texts =
        Arrays.stream(bounds)
            .mapToObj(each -> Double.toString(each).replaceAll("\\.0$", ""))
            .toList();
    return ", " + String.join(" ", texts);
  }
}
