package dev.patchbay.it;

import com.fasterxml.jackson.databind.JsonNode;
import dev.patchbay.agent.config.AgentConfig;
import dev.patchbay.agent.config.ConfigParts;
import dev.patchbay.agent.config.ConfigReading;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.StreamSupport;

/// The DaemonSet of one group of nodes, and its configuration.
record AgentWorkload(Manifests in, JsonNode daemonSet) {
  /// A host path and where the agent sees it.
  record HostPath(String path, String at, boolean readOnly) {}

  static List<AgentWorkload> of(Manifests manifests) {
    return manifests.ofKind("DaemonSet").stream()
        .map(it -> new AgentWorkload(manifests, it))
        .toList();
  }

  String name() {
    return daemonSet.at("/metadata/name").asText();
  }

  JsonNode pod() {
    return daemonSet.at("/spec/template/spec");
  }

  JsonNode container() {
    return pod().at("/containers/0");
  }

  /// What its ConfigMap says, as the agent reads it.
  AgentConfig config() {
    String map =
        items(pod().path("volumes")).stream()
            .filter(it -> it.path("name").asText().equals("config"))
            .findFirst()
            .orElseThrow()
            .at("/configMap/name")
            .asText();
    JsonNode text = in.named("ConfigMap", map).at("/data/patchbay.yaml");
    ConfigReading reading = ConfigParts.read(map, text.asText()).parts().firstEntry().getValue();
    return switch (reading) {
      case ConfigReading.Valid valid -> valid.config();
      case ConfigReading.Wrong wrong -> throw new AssertionError(wrong.problems().toString());
    };
  }

  /// By the volume's name.
  SequencedMap<String, HostPath> hostPaths() {
    SequencedMap<String, HostPath> paths = new TreeMap<>();
    for (JsonNode volume : pod().path("volumes"))
      if (volume.has("hostPath")) {
        JsonNode mount = mountOf(volume.path("name").asText());
        paths.put(
            volume.path("name").asText(),
            new HostPath(
                volume.at("/hostPath/path").asText(),
                mount.path("mountPath").asText(),
                mount.path("readOnly").asBoolean()));
      }
    return paths;
  }

  private JsonNode mountOf(String volume) {
    return items(container().path("volumeMounts")).stream()
        .filter(it -> it.path("name").asText().equals(volume))
        .findFirst()
        .orElseThrow(() -> new AssertionError(name() + " mounts " + volume + " nowhere"));
  }

  /// The requirements on labels that a node has to meet.
  List<JsonNode> requirements() {
    return items(
        pod()
            .at(
                "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/matchExpressions"));
  }

  /// Whether a node with these labels runs this agent, nodeSelector apart.
  boolean runsOn(Map<String, String> labels) {
    return requirements().stream().allMatch(it -> isMet(it, labels));
  }

  private static boolean isMet(JsonNode requirement, Map<String, String> labels) {
    String key = requirement.path("key").asText();
    boolean isOne =
        labels.containsKey(key)
            && items(requirement.path("values")).stream()
                .anyMatch(it -> it.asText().equals(labels.get(key)));
    return switch (requirement.path("operator").asText()) {
      case "In" -> isOne;
      case "NotIn" -> !isOne;
      default -> throw new AssertionError("an operator that is not known here: " + requirement);
    };
  }

  static List<JsonNode> items(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false).toList();
  }
}
