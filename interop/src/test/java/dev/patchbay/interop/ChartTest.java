package dev.patchbay.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What the chart and the Kustomize files say to a cluster; needs Helm and kubectl, but no cluster.
@Tag("cluster")
final class ChartTest {
  private static final String GROUPS =
      """
      nodeGroups:
        - name: desk
          config: {version: 1, drivers: {kubevirt: {}}}
        - name: lab
          nodes: {label: patchbay.dev/node-group, values: [lab-1, lab-2]}
          config: {version: 1, drivers: {}}
          resources: {limits: {memory: 1Gi}}
      """;

  @ParameterizedTest
  @ValueSource(strings = {"{}", GROUPS, "config: {version: 1}", "networkPolicy: {enabled: true}"})
  void helmFindsNoFault(String values) throws Exception {
    // A fault is an exception with Helm's words.
    assertThat(Deployed.chart(values).all("DaemonSet")).isNotEmpty();
    assertThat(
            Deployed.run(PrivatePlace.part("helm"), "lint", "--strict", Deployed.CHART.toString()))
        .contains("0 chart(s) failed");
  }

  @Test
  void theKustomizeBaseIsTheChartWithItsDefaultValues() throws Exception {
    Deployed base = Deployed.kustomize("base");
    Deployed chart = Deployed.chart("{}").withoutHooks();
    for (String kind : List.of("ServiceAccount", "ConfigMap", "DaemonSet"))
      assertThat(withoutHelmsMarks(base.only(kind)).toPrettyString())
          .isEqualTo(withoutHelmsMarks(chart.only(kind)).toPrettyString());
    assertThat(base.objects()).hasSize(4);
    assertThat(base.only("Namespace").at("/metadata/labels").toString())
        .contains("\"pod-security.kubernetes.io/enforce\":\"privileged\"");
  }

  private static JsonNode withoutHelmsMarks(JsonNode object) {
    JsonNode copy = object.deepCopy();
    ObjectNode labels = (ObjectNode) copy.at("/metadata/labels");
    labels.remove(
        List.of("helm.sh/chart", "app.kubernetes.io/managed-by", "app.kubernetes.io/version"));
    if (copy.path("kind").asText().equals("ConfigMap"))
      ((ObjectNode) copy.path("data"))
          .put(
              "patchbay.yaml",
              copy.at("/data/patchbay.yaml").asText().replaceAll("(?m)^ *#.*\n", "").strip());
    return sorted(copy);
  }

  /// The order of an object's keys means nothing.
  private static JsonNode sorted(JsonNode node) {
    if (node.isObject()) {
      Map<String, JsonNode> fields = new TreeMap<>();
      node.properties().forEach(it -> fields.put(it.getKey(), sorted(it.getValue())));
      ObjectNode copy = ((ObjectNode) node).objectNode();
      fields.forEach(copy::set);
      return copy;
    }
    if (node.isArray()) {
      ArrayNode copy = ((ArrayNode) node).arrayNode();
      node.forEach(it -> copy.add(sorted(it)));
      return copy;
    }
    return node;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "base",
        "overlays/plugins-registry",
        "overlays/serial-and-usb",
        "overlays/node-groups"
      })
  void everyKustomizationGivesUnprivilegedAgents(String folder) throws Exception {
    Deployed deployed = Deployed.kustomize(folder);
    assertThat(deployed.all("DaemonSet")).isNotEmpty().allSatisfy(ChartTest::assertUnprivileged);
    deployed
        .all("DaemonSet")
        .forEach(it ->
            assertThat(deployed.all("ConfigMap").map(ChartTest::name)).contains(configMapOf(it)));
  }

  private static String name(JsonNode object) {
    return object.at("/metadata/name").asText();
  }

  private static String configMapOf(JsonNode daemonSet) {
    return Json.list(daemonSet.at("/spec/template/spec/volumes"))
        .map(it -> it.at("/configMap/name").asText())
        .filter(it -> !it.isEmpty())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void neitherTheAgentNorTheTestPodHasPrivileges() throws Exception {
    Deployed deployed = Deployed.chart(GROUPS);
    assertThat(deployed.all("DaemonSet")).hasSize(3).allSatisfy(ChartTest::assertUnprivileged);
    assertConfined(deployed.only("Pod").path("spec"));
    assertThat(deployed.only("Pod").toString()).doesNotContain("hostPath");
    assertThat(deployed.text())
        .doesNotContain("ClusterRole")
        .doesNotContain("RoleBinding")
        .doesNotContain("Secret");
  }

  /// All of the level `restricted` of the pod security standards, but for the user and the host's
  /// directories, of which only the kubelet's can be written.
  private static void assertUnprivileged(JsonNode daemonSet) {
    JsonNode pod = daemonSet.at("/spec/template/spec");
    assertConfined(pod);
    assertThat(pod.path("priorityClassName").asText()).isEqualTo("system-node-critical");
    for (JsonNode mount : pod.at("/containers/0/volumeMounts"))
      assertThat(mount.path("readOnly").asBoolean())
          .as("%s", mount)
          .isEqualTo(!mount.path("mountPath").asText().startsWith("/var/lib/kubelet/"));
  }

  private static void assertConfined(JsonNode pod) {
    for (String name : List.of("hostNetwork", "hostPID", "hostIPC"))
      assertThat(pod.path(name).asBoolean()).as(name).isFalse();
    assertThat(pod.path("automountServiceAccountToken").asBoolean(true)).isFalse();
    assertThat(pod.at("/securityContext/seccompProfile/type").asText()).isEqualTo("RuntimeDefault");
    assertThat(pod.path("containers")).hasSize(1);
    JsonNode context = pod.at("/containers/0/securityContext");
    assertThat(context.path("privileged").asBoolean()).isFalse();
    assertThat(context.path("allowPrivilegeEscalation").asBoolean(true)).isFalse();
    assertThat(context.path("readOnlyRootFilesystem").asBoolean()).isTrue();
    assertThat(context.at("/capabilities/drop").toString()).isEqualTo("[\"ALL\"]");
    assertThat(context.at("/capabilities/add").isMissingNode()).isTrue();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          version: 1                                                                       | /dev /sys device-plugins
          version: 1, drivers: {}                                                          | device-plugins
          version: 1, drivers: {kubevirt: {}}                                              | /dev device-plugins
          version: 1, drivers: {device-node: {devices: [{name: a, groups: [{paths: [{path: /dev/a}, {path: /dev/b/c*}]}]}]}}         | /dev /sys device-plugins
          version: 1, drivers: {device-node: {devices: [{name: a, groups: [{usb: [{vendor: "1", product: "2"}]}]}]}}                 | /dev /sys device-plugins
          version: 1, drivers: {device-node: {devices: [{name: a, groups: [{paths: [{path: /opt/x/lib/a.so, type: mount}]}]}]}}      | /opt/x/lib /sys device-plugins
          version: 1, drivers: {device-node: {devices: [{name: a, groups: [{paths: [{path: "/opt/x/l*/a.so", type: mount}]}]}]}}     | /opt/x /sys device-plugins
          version: 1, drivers: {device-node: {devices: [{name: a, groups: [{paths: [{path: /a/b/c}, {path: /a/d}]}]}]}}              | /a /a/b /sys device-plugins
          version: 1, registration: {ways: [plugins-registry]}, drivers: {}                | plugins_registry
          """)
  void theHostPathsFollowFromTheConfigurationAndEachIsExplained(String config, String paths)
      throws Exception {
    Deployed deployed = Deployed.chart("config: {" + config + "}");
    List<String> found = new ArrayList<>();
    // Each volume of the host, with the comment before it.
    Matcher volume =
        Pattern.compile("( +# \\S.*\n)+ +- name: \\S+\n +hostPath: \\{path: \"([^\"]+)\"")
            .matcher(deployed.text());
    while (volume.find()) found.add(volume.group(2));
    List<String> mounted =
        Json.list(deployed.only("DaemonSet").at("/spec/template/spec/volumes"))
            .map(it -> it.at("/hostPath/path").asText())
            .filter(it -> !it.isEmpty())
            .toList();
    assertThat(found).isEqualTo(mounted);
    assertThat(mounted)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(paths.split(" "))
                .map(it -> it.startsWith("/") ? it : "/var/lib/kubelet/" + it)
                .toList());
  }

  @ParameterizedTest
  @CsvSource({
    "'', default",
    "other, default",
    "desk, desk",
    "lab-1, lab",
    "lab-2, lab",
    "lab, default"
  })
  void eachNodeRunsTheAgentOfOneGroup(String label, String group) throws Exception {
    assertThat(
            Deployed.chart(GROUPS)
                .all("DaemonSet")
                .filter(it -> selects(it, label))
                .map(it -> it.at("/metadata/labels").path("patchbay.dev/group").asText()))
        .containsExactly(group);
  }

  private static boolean selects(JsonNode daemonSet, String label) {
    return Json.list(
            daemonSet.at(
                "/spec/template/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"
                    + "/nodeSelectorTerms/0/matchExpressions"))
        .allMatch(expression -> {
          boolean named =
              Json.list(expression.path("values")).anyMatch(it -> it.asText().equals(label));
          return switch (expression.path("operator").asText()) {
            case "In" -> named;
            case "NotIn" -> !named;
            default -> throw new AssertionError("no expression that this test knows: " + daemonSet);
          };
        });
  }

  @Test
  void aGroupMayHaveItsOwnOfWhatTheOthersShare() throws Exception {
    assertThat(
            Deployed.chart(GROUPS)
                .all("DaemonSet")
                .map(it ->
                    it.at("/spec/template/spec/containers/0/resources/limits/memory").asText()))
        .containsExactlyInAnyOrder("192Mi", "192Mi", "1Gi");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          image: {pulPolicy: Never}                                         | additional properties 'pulPolicy' not allowed
          config: {version: 1, drivers: {nonsense: {}}}                     | additional properties 'nonsense' not allowed
          config: {version: 2}                                              | '/config/version'
          config: {drivers: {}}                                             | missing property 'version'
          nodeGroups: [{name: a}]                                           | '/nodeGroups/0': missing property 'config'
          nodeGroups: [{name: default, config: {version: 1}}]               | '/nodeGroups/0/name'
          nodeGroups: [{name: a, config: {version: 1}}, {name: a, config: {version: 1}}] | two groups are called a
          defaultGroup: false                                               | there is no group
          config: {version: 1, http: {listen: "127.0.0.1:80"}}              | config/http/listen
          kubeletDir: /a/                                                   | '/kubeletDir'
          config: {version: 1, drivers: {device-node: {devices: [{name: a, groups: [{usb: [{vendor: 1050, product: 0407}]}]}]}}}        | product': got number, want string
          config: {version: 1, drivers: {device-node: {devices: [{name: a, groups: [{paths: [{path: /a}]}]}]}}}                         | would have to see the whole host
          """)
  void wrongValuesAreRefusedBeforeAnythingIsInstalled(String values, String error) {
    assertThatThrownBy(() -> Deployed.chart(values))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(error);
  }
}
