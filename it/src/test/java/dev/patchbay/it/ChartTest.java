package dev.patchbay.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.patchbay.agent.config.ConfigReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The chart agrees with the agent, with its own README and with the Kustomize base.
final class ChartTest {
  private static final Path CHART = Repository.ROOT.resolve("deploy/helm/patchbay");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `([^`]+)` \\|");
  private static final Pattern VALUES =
      Pattern.compile("(?s)(<!-- values -->\n)(.*)(<!-- end -->\n)");

  @Test
  void itsDefaultConfigurationIsTheAgents() throws IOException {
    assertThat(CHART.resolve("files/default.yaml")).hasContent(ConfigReader.defaultText());
  }

  @Test
  void itsSchemaKnowsTheKeysThatTheAgentKnows() throws IOException {
    SortedSet<String> keys = new TreeSet<>();
    collectKeys("", schema().at("/definitions/config"), keys);
    // The page has rows for what is in these sections.
    keys.removeAll(Set.of("log", "http", "registration", "health"));
    SortedSet<String> rows = new TreeSet<>();
    Matcher row =
        ROW.matcher(Files.readString(Repository.ROOT.resolve("docs/reference/configuration.md")));
    while (row.find()) rows.add(row.group(1));

    assertThat(keys).isEqualTo(rows);
  }

  private static void collectKeys(String at, JsonNode schema, Set<String> keys) {
    for (var property : schema.path("properties").properties()) {
      String key = at.isEmpty() ? property.getKey() : at + "." + property.getKey();
      keys.add(key);
      collectKeys(key, property.getValue(), keys);
      collectKeys(key + "[]", property.getValue().path("items"), keys);
    }
  }

  @Test
  void itKnowsTheHostPathsOfEveryDriver() throws IOException {
    String helper = Files.readString(CHART.resolve("templates/_hostpaths.tpl"));

    for (var driver : schema().at("/definitions/config/properties/drivers/properties").properties())
      assertThat(helper).contains("eq $name \"" + driver.getKey() + "\"");
  }

  @Test
  void everyObjectOfItsSchemaIsStrict() throws IOException {
    List<String> open = new ArrayList<>();
    collectOpen("", schema(), open);

    assertThat(open)
        .as("objects that take any key")
        .containsExactlyInAnyOrder(
            "/properties/global",
            "/properties/resources/properties/requests",
            "/properties/resources/properties/limits",
            "/properties/tolerations/items",
            "/properties/nodeGroups/items/properties/resources/properties/requests",
            "/properties/nodeGroups/items/properties/resources/properties/limits",
            "/properties/nodeGroups/items/properties/tolerations/items");
  }

  private static void collectOpen(String at, JsonNode schema, List<String> open) {
    boolean isObject = schema.path("type").toString().contains("\"object\"");
    if (isObject && !schema.has("additionalProperties") && !at.endsWith("/if")) open.add(at);
    if (schema.isObject() || schema.isArray())
      schema.properties().forEach(it -> collectOpen(at + "/" + it.getKey(), it.getValue(), open));
  }

  @Test
  void everyHostPathSaysWhyItIsThere() throws IOException {
    List<Path> files = new ArrayList<>();
    try (Stream<Path> rendered = Files.list(Manifests.RENDERED.resolve("helm"))) {
      rendered.forEach(files::add);
    }
    int paths = 0;
    for (Path file : files) {
      List<String> lines = Files.readAllLines(file);
      for (int i = 2; i < lines.size(); i++)
        if (lines.get(i).strip().startsWith("hostPath:")) {
          paths++;
          assertThat(lines.get(i - 2).strip()).as("%s:%d", file, i - 1).startsWith("# ");
        }
    }
    assertThat(paths).isGreaterThan(10);
  }

  /// Without the labels that name Helm and the version, the comments of the configuration, and the
  /// namespace.
  @Test
  void theKustomizeBaseIsItsDefaultRendering() throws IOException {
    Manifests base = Manifests.read(Manifests.RENDERED.resolve("kustomize/base.yaml"));
    Manifests chart = Manifests.read(Manifests.RENDERED.resolve("helm/default.yaml"));
    List<JsonNode> made =
        chart.objects().stream()
            .filter(it -> !it.at("/metadata/annotations").has("helm.sh/hook"))
            .map(JsonNode::<ObjectNode>deepCopy)
            .<JsonNode>map(ChartTest::withoutHelm)
            .toList();

    assertThat(
            base.objects().stream()
                .filter(it -> !it.path("kind").asText().equals("Namespace"))
                .map(JsonNode::<ObjectNode>deepCopy)
                .<JsonNode>map(ChartTest::withoutHelm)
                .toList())
        .containsExactlyInAnyOrderElementsOf(made);
  }

  private static ObjectNode withoutHelm(ObjectNode object) {
    if (object.at("/metadata/labels") instanceof ObjectNode labels)
      labels.remove(
          List.of("helm.sh/chart", "app.kubernetes.io/managed-by", "app.kubernetes.io/version"));
    if (object.path("data") instanceof ObjectNode data)
      data.put(
          "patchbay.yaml",
          data.path("patchbay.yaml").asText().replaceAll("(?m)^ *#.*\n|^ *\n", "").strip());
    return object;
  }

  @Test
  void itsReadmeHasEveryValue() throws IOException {
    Path readme = CHART.resolve("README.md");
    String text = Files.readString(readme);
    JsonNode defaults = new YAMLMapper().readTree(CHART.resolve("values.yaml").toFile());
    var table = new StringBuilder("| value | default | meaning |\n|---|---|---|\n");
    addRows("", schema(), defaults, table);

    String right =
        VALUES
            .matcher(text)
            .replaceFirst(it -> Matcher.quoteReplacement(it.group(1) + table + it.group(3)));
    if (Boolean.getBoolean("golden.update")) Files.writeString(readme, right);
    assertThat(right).as("README.md; make golden writes it").isEqualTo(Files.readString(readme));
  }

  private static void addRows(String at, JsonNode schema, JsonNode defaults, StringBuilder table) {
    for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
      String key = at + property.getKey();
      JsonNode value = defaults.path(property.getKey());
      JsonNode its = property.getValue();
      assertThat(its.path("description").asText()).as("description of %s", key).isNotEmpty();
      // What takes few words is one row.
      if (its.has("properties")
          && its.path("properties").size() > 1
          && !key.startsWith("probes.")) {
        addRows(key + ".", its, value, table);
        continue;
      }
      table
          .append("| `")
          .append(key)
          .append("` | ")
          .append(value.isMissingNode() ? "–" : "`" + value + "`")
          .append(" | ")
          .append(its.path("description").asText().replace("|", "\\|"))
          .append(" |\n");
      addRows(key + "[].", its.path("items"), value.path("none"), table);
    }
  }

  private static JsonNode schema() throws IOException {
    return new JsonMapper().readTree(CHART.resolve("values.schema.json").toFile());
  }
}
