package dev.patchbay.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Configurations inside of other files, with the lines of those files.
final class ConfigPartsTest {
  @Test
  void aConfigurationByItselfHasNoName() {
    ConfigParts parts = ConfigParts.read("f.yaml", "version: 1\n");

    assertThat(parts.parts()).containsOnlyKeys("");
    assertThat(parts.problems()).isEmpty();
  }

  @Test
  void aFileThatIsNoneOfAllIsReadAsAConfiguration() {
    assertThat(problems("vresion: 1\n"))
        .containsExactly(
            "f.yaml:1:1: version: is missing",
            "f.yaml:1:1: vresion: is no known key; did you mean version?");
    assertThat(problems("a: [\n")).singleElement().asString().startsWith("f.yaml:2:1: is not YAML");
    assertThat(problems("")).containsExactly("f.yaml: is empty; needed is at least version: 1");
  }

  @Test
  void everyConfigurationOfAConfigMapIsReadAndOtherFilesAreNot() {
    ConfigParts parts =
        ConfigParts.read(
            "f.yaml",
            """
            apiVersion: v1
            kind: Namespace
            metadata: {name: n}
            ---
            ---
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: one}
            data:
              notes.txt: "version: none"
              other.yaml: "scrape_configs: []"
              a.yaml: |
                version: 1
              b.yml: "version: 1"
            ---
            apiVersion: v1
            kind: List
            items:
              - {apiVersion: v1, kind: ConfigMap, metadata: {name: two}, data: {c.yaml: "version: 1"}}
            """);

    assertThat(parts.problems()).isEmpty();
    assertThat(parts.parts()).containsOnlyKeys("one/a.yaml", "one/b.yml", "two/c.yaml");
  }

  @Test
  void aProblemInALiteralBlockHasItsOwnLine() {
    assertThat(
            problems(
                """
                apiVersion: v1
                kind: ConfigMap
                metadata:
                  name: patchbay
                data:
                  # why it is so
                  patchbay.yaml: |

                    version: 1
                    log:
                      level: lod
                """))
        .containsExactly(
            "f.yaml:11:14: data[patchbay.yaml].log.level: is \"lod\"; needed is one of debug, info, warning, error");
  }

  @Test
  void aProblemInAnotherStyleHasThePlaceOfTheValue() {
    assertThat(
            problems(
                """
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "p"},
                 "data": {"p.yaml": "version: 1\\nlgo: {}\\n"}}
                """))
        .containsExactly("f.yaml:2:21: data[p.yaml].lgo: is no known key; did you mean log?");
  }

  @Test
  void whatIsNotYamlInsideHasItsLineToo() {
    assertThat(
            problems(
                """
                apiVersion: v1
                kind: ConfigMap
                data:
                  p.yaml: |
                    version: 1
                    log: {level: info
                """))
        .singleElement()
        .asString()
        .startsWith("f.yaml:7:")
        .contains("data[p.yaml]: is not YAML");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "apiVersion: v1\nkind: Secret\n",
        "apiVersion: v1\nkind: ConfigMap\ndata: {readme.txt: 'version: 1'}\n",
        "apiVersion: v1\nkind: ConfigMap\ndata: {a.yaml: 'x: 1'}\n",
      })
  void manifestsWithoutAConfigurationAreAProblem(String text) {
    assertThat(problems(text))
        .containsExactly("f.yaml: has no ConfigMap with a configuration, a key that ends in .yaml");
  }

  @Test
  void everyNodeGroupOfTheChartsValuesIsRead() {
    ConfigParts parts =
        ConfigParts.read(
            "values.yaml",
            """
            image: {tag: x}
            config:
              version: 1
              log: {format: json}
            nodeGroups:
              - name: gpu
                config: {version: 1, drivers: {}}
              - name: edge
                nodes: {label: pool, values: [edge]}
                config:
                  version: 1
                  drivers:
                    device-node: {devices: [{name: a, gruops: []}]}
              - name: none
            """);

    assertThat(parts.parts()).containsOnlyKeys("default", "gpu", "edge", "none");
    assertThat(parts.parts().get("gpu")).isInstanceOf(ConfigReading.Valid.class);
    assertThat(parts.problems())
        .extracting(ConfigProblem::toString)
        .containsExactly(
            "values.yaml:13:33: nodeGroups[1].config.drivers.device-node.devices[0].groups: is missing",
            "values.yaml:13:43: nodeGroups[1].config.drivers.device-node.devices[0].gruops: is no known key; did you mean groups?",
            "values.yaml:14:5: nodeGroups[2].config: is missing");
  }

  @Test
  void valuesThatSayNothingMeanWhatIsBuiltIn() {
    assertThat(ConfigParts.read("values.yaml", "config: {}\nnodeGroups: []\n").parts().values())
        .containsExactly(new ConfigReading.Valid(ConfigReader.defaults()));
  }

  @Test
  void twoGroupsOfOneNameAreAProblem() {
    String group = "  - {name: a, config: {version: 1}}\n";

    assertThat(problems("nodeGroups:\n" + group + group))
        .containsExactly("f.yaml: has two configurations a");
  }

  /// Helm reads YAML 1.1 and writes numbers as numbers: 0407 would reach the agent as 263.
  @Test
  void wordsThatHelmTakesForSomethingElseNeedQuotes() {
    String devices =
        "config: {version: 1, drivers: {device-node: {devices: [{name: a, groups: [{usb: [{%s}]}]}]}}}\n";

    assertThat(problems(devices.formatted("vendor: 1050, product: 0407")))
        .containsExactly(
            "f.yaml:1:106: config.drivers.device-node.devices[0].groups[0].usb[0].product: is 0407, which Helm takes for something else; needed are quotes");
    assertThat(problems(devices.formatted("vendor: 0x1050, product: 1e10"))).hasSize(2);
    assertThat(problems(devices.formatted("vendor: '0x1050', product: \"0407\""))).isEmpty();
    assertThat(problems("config: {version: 1, out-of-service: [{resource: a.b/c, reason: no}]}"))
        .hasSize(1);
  }

  @Test
  void theKeysOfTheFirstLevelAreThoseThatTheReaderAsksFor() {
    List<String> first =
        ConfigReader.knownKeys("version: 1\n").stream().filter(it -> !it.contains(".")).toList();

    assertThat(ConfigReader.ROOT_KEYS).containsExactlyInAnyOrderElementsOf(first);
  }

  private static List<String> problems(String text) {
    return ConfigParts.read("f.yaml", text).problems().stream()
        .map(ConfigProblem::toString)
        .toList();
  }
}
