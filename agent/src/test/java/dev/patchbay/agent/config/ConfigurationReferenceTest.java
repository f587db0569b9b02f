package dev.patchbay.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Keeps `docs/reference/configuration.md` true.
final class ConfigurationReferenceTest {
  private static final Pattern YAML = Pattern.compile("```yaml\\n(.*?)```", Pattern.DOTALL);
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `([^`]+)` \\|");

  @Test
  void everyExampleIsValid() throws IOException {
    for (String example : examples())
      assertThat(ConfigReader.read("example", example)).isInstanceOf(ConfigReading.Valid.class);
  }

  @Test
  void theBuiltInConfigurationIsShownAsItIs() throws IOException {
    assertThat(examples()).contains(ConfigReader.defaultText());
  }

  @Test
  void everyKeyHasItsRowAndNoRowIsForNothing() throws IOException {
    SortedSet<String> known = new TreeSet<>(ConfigReader.knownKeys(examples().getLast()));
    // Sections are described by their keys.
    known.removeAll(List.of("log", "http", "registration", "health"));

    SortedSet<String> rows = new TreeSet<>();
    Matcher row = ROW.matcher(page());
    while (row.find()) rows.add(row.group(1));

    assertThat(rows).isEqualTo(known);
  }

  private static List<String> examples() throws IOException {
    return YAML.matcher(page()).results().map(match -> match.group(1)).toList();
  }

  private static String page() throws IOException {
    return Files.readString(
        Path.of(System.getProperty("patchbay.root"), "docs/reference/configuration.md"));
  }
}
