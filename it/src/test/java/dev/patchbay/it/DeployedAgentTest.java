package dev.patchbay.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.patchbay.agent.config.AgentConfig;
import dev.patchbay.agent.config.ConfigParts;
import dev.patchbay.agent.config.ConfigProblem;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig;
import dev.patchbay.it.AgentWorkload.HostPath;
import dev.patchbay.sdk.PluginHostConfig.Way;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What the chart and the kustomizations put on a node: each rendering that `scripts/check-chart`
/// keeps is judged here.
final class DeployedAgentTest {
  private static final Set<String> WITHOUT_DEFAULT_GROUP = Set.of("no-default.yaml");

  static List<Path> rendered() throws IOException {
    return Manifests.rendered();
  }

  @ParameterizedTest
  @MethodSource("rendered")
  void everyConfigurationIsValid(Path file) throws IOException {
    ConfigParts parts = ConfigParts.read(file.toString(), Manifests.read(file).text());

    assertThat(parts.problems()).extracting(ConfigProblem::toString).isEmpty();
    assertThat(parts.parts()).isNotEmpty();
  }

  /// Pod Security's level `restricted`, but for hostPath volumes and the user; see
  /// docs/guide/security.md.
  @ParameterizedTest
  @MethodSource("rendered")
  void noAgentHasRightsThatItDoesNotNeed(Path file) throws IOException {
    for (AgentWorkload agent : AgentWorkload.of(Manifests.read(file))) {
      JsonNode pod = agent.pod();
      for (String host : List.of("hostNetwork", "hostPID", "hostIPC"))
        assertThat(pod.path(host).asBoolean(true)).as(host).isFalse();
      assertThat(pod.path("automountServiceAccountToken").asBoolean(true)).isFalse();
      assertThat(pod.path("enableServiceLinks").asBoolean(true)).isFalse();
      assertThat(pod.at("/securityContext/seccompProfile/type").asText())
          .isEqualTo("RuntimeDefault");
      assertThat(AgentWorkload.items(pod.path("containers"))).hasSize(1);
      assertThat(pod.has("initContainers")).isFalse();
      JsonNode security = agent.container().path("securityContext");
      assertThat(security.path("privileged").asBoolean(true)).isFalse();
      assertThat(security.path("allowPrivilegeEscalation").asBoolean(true)).isFalse();
      assertThat(security.path("readOnlyRootFilesystem").asBoolean(false)).isTrue();
      assertThat(security.at("/capabilities/drop").toString()).isEqualTo("[\"ALL\"]");
      assertThat(security.at("/capabilities").has("add")).isFalse();
      for (JsonNode volume : pod.path("volumes"))
        assertThat(volume.has("hostPath") || volume.has("configMap")).as("%s", volume).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("rendered")
  void everyAgentIsProbedWhereItListens(Path file) throws IOException {
    for (AgentWorkload agent : AgentWorkload.of(Manifests.read(file))) {
      int port = agent.config().http().orElseThrow().listen().getPort();
      assertThat(agent.container().at("/ports/0/containerPort").asInt()).isEqualTo(port);
      Map<String, String> pages = new TreeMap<>();
      for (String probe : List.of("startup", "liveness", "readiness")) {
        JsonNode get = agent.container().path(probe + "Probe").path("httpGet");
        assertThat(get.path("port").asText())
            .isEqualTo(agent.container().at("/ports/0/name").asText());
        pages.put(probe, get.path("path").asText());
      }
      assertThat(pages)
          .isEqualTo(Map.of("startup", "/healthz", "liveness", "/healthz", "readiness", "/readyz"));
    }
  }

  /// A file that is mounted alone would never change.
  @ParameterizedTest
  @MethodSource("rendered")
  void theConfigurationIsMountedAsADirectoryOfItsOwnGroup(Path file) throws IOException {
    Manifests manifests = Manifests.read(file);
    for (AgentWorkload agent : AgentWorkload.of(manifests)) {
      JsonNode map = manifests.named("ConfigMap", agent.name());
      assertThat(map.at("/metadata/labels").path("patchbay.dev/group"))
          .isEqualTo(agent.daemonSet().at("/metadata/labels").path("patchbay.dev/group"));
      assertThat(named(agent.pod().path("volumes"), "config").at("/configMap/name").asText())
          .isEqualTo(agent.name());
      JsonNode mount = named(agent.container().path("volumeMounts"), "config");
      assertThat(mount.path("mountPath").asText()).isEqualTo("/etc/patchbay");
      assertThat(mount.has("subPath")).isFalse();
      assertThat(agent.container().path("args").toString())
          .contains("--config=/etc/patchbay/patchbay.yaml");
    }
  }

  private static JsonNode named(JsonNode list, String name) {
    return AgentWorkload.items(list).stream()
        .filter(it -> it.path("name").asText().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @MethodSource("rendered")
  void anAgentSeesOfTheHostWhatItsConfigurationNeedsAndNoMore(Path file) throws IOException {
    for (AgentWorkload agent : AgentWorkload.of(Manifests.read(file))) {
      Set<String> needed = needed(agent);
      Set<String> seen = new TreeSet<>();
      agent
          .hostPaths()
          .values()
          .forEach(it -> {
            if (!it.path().startsWith("/run/vendor")) seen.add(it.path());
          });
      // What is written by hand may mount more than a configuration needs, and less than all of
      // /dev.
      if (file.startsWith(Manifests.RENDERED.resolve("helm")))
        assertThat(seen).as("host paths of %s", agent.name()).isEqualTo(needed);
      else if (!file.endsWith("one-directory.yaml"))
        assertThat(seen).as("host paths of %s", agent.name()).containsAll(needed);
      for (HostPath each : agent.hostPaths().values())
        if (each.path().startsWith(kubeletDir(agent))) {
          assertThat(each).isEqualTo(new HostPath(each.path(), each.path(), false));
        } else {
          assertThat(each).isEqualTo(new HostPath(each.path(), "/host" + each.path(), true));
        }
      assertThat(agent.container().path("args").toString().contains("--host-root=/host"))
          .isEqualTo(
              agent.hostPaths().values().stream().anyMatch(it -> it.at().startsWith("/host/")));
    }
  }

  private static String kubeletDir(AgentWorkload agent) {
    return AgentWorkload.items(agent.container().path("args")).stream()
        .map(JsonNode::asText)
        .filter(it -> it.startsWith("--kubelet-dir="))
        .map(it -> it.substring("--kubelet-dir=".length()))
        .findFirst()
        .orElseThrow();
  }

  private static Set<String> needed(AgentWorkload agent) {
    AgentConfig config = agent.config();
    Set<String> needed = new TreeSet<>();
    for (Way way : config.registration())
      needed.add(
          kubeletDir(agent)
              + switch (way) {
                case KUBELET_SOCK -> "/device-plugins";
                case PLUGINS_REGISTRY -> "/plugins_registry";
              });
    if (config.drivers().kubevirt().isPresent()) needed.add("/dev");
    config.drivers().deviceNode().ifPresent(nodes -> addNeeded(nodes, needed));
    return needed;
  }

  private static void addNeeded(DeviceNodeConfig nodes, Set<String> needed) {
    needed.add("/sys");
    for (var resource : nodes.resources())
      for (var group : resource.groups()) {
        if (!group.usb().isEmpty()) needed.add("/dev");
        for (var path : group.paths()) {
          String literal = path.path().replaceAll("[^/]*[*?\\[].*$", "x");
          needed.add(
              literal.startsWith("/dev/")
                  ? "/dev"
                  : literal.substring(0, literal.lastIndexOf('/')));
        }
      }
  }

  @ParameterizedTest
  @MethodSource("rendered")
  void everyNodeHasOneAgent(Path file) throws IOException {
    List<AgentWorkload> agents = AgentWorkload.of(Manifests.read(file));
    boolean hasDefault = !WITHOUT_DEFAULT_GROUP.contains(String.valueOf(file.getFileName()));

    for (Map<String, String> node : nodes(agents)) {
      List<String> there =
          agents.stream().filter(it -> it.runsOn(node)).map(AgentWorkload::name).toList();
      assertThat(there).as("agents on a node with %s", node).hasSizeLessThanOrEqualTo(1);
      if (hasDefault) assertThat(there).as("agents on a node with %s", node).hasSize(1);
    }
  }

  /// A node for each combination of labels that the agents ask for, each also absent and with
  /// another value.
  private static List<Map<String, String>> nodes(List<AgentWorkload> agents) {
    Map<String, Set<String>> values = new TreeMap<>();
    for (AgentWorkload agent : agents)
      for (JsonNode each : agent.requirements())
        AgentWorkload.items(each.path("values"))
            .forEach(value ->
                values
                    .computeIfAbsent(
                        each.path("key").asText(), _ -> new TreeSet<>(Set.of("", "another")))
                    .add(value.asText()));
    List<Map<String, String>> nodes = List.of(Map.of());
    for (var label : values.entrySet()) {
      List<Map<String, String>> more = new ArrayList<>();
      for (Map<String, String> node : nodes)
        for (String value : label.getValue()) {
          Map<String, String> labels = new HashMap<>(node);
          if (!value.isEmpty()) labels.put(label.getKey(), value);
          more.add(labels);
        }
      nodes = more;
    }
    return nodes;
  }
}
