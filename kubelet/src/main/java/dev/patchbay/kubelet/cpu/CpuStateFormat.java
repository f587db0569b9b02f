package dev.patchbay.kubelet.cpu;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.patchbay.kubelet.checkpoint.GoChecksum;
import java.io.IOException;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// The JSON text of the state file, in the format that the kubelet has written since 1.18
/// (`CPUManagerCheckpointV2`).
final class CpuStateFormat {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private CpuStateFormat() {}

  static String write(CpuState state) {
    ObjectNode root = JSON.createObjectNode();
    root.put("policyName", state.policy());
    root.put("defaultCpuSet", state.shared().toString());
    if (!state.held().isEmpty()) {
      ObjectNode pods = root.putObject("entries");
      state
          .held()
          .forEach((pod, containers) -> {
            ObjectNode node = pods.putObject(pod);
            containers.forEach((name, cpus) -> node.put(name, cpus.toString()));
          });
    }
    root.put("checksum", GoChecksum.of(printed("", state)));
    try {
      return JSON.writeValueAsString(root);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of strings and numbers cannot be written", e);
    }
  }

  /// @throws IOException what is wrong with the text
  static CpuState read(String text) throws IOException {
    JsonNode root;
    try {
      root = JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IOException("not JSON: " + e.getOriginalMessage(), e);
    }
    if (!root.isObject()) throw new IOException("not a JSON object");
    var state =
        new CpuState(
            root.path("policyName").asText(""),
            cpus(root.path("defaultCpuSet").asText(""), "default cpu set \"%s\""),
            held(root.path("entries")));
    long checksum = root.path("checksum").asLong();
    // Without one it is from before there were checksums.
    boolean right =
        checksum == 0
            || checksum == GoChecksum.of(printed("", state))
            || checksum == GoChecksum.of(printed("V2", state));
    if (!right || !saysAll(root, state)) throw new IOException("checkpoint is corrupted");
    return state;
  }

  /// Whether the state is all that the text says: a key that nobody knows is a damaged one.
  private static boolean saysAll(JsonNode root, CpuState state) throws IOException {
    ObjectNode again = (ObjectNode) JSON.readTree(write(state));
    if (root.has("checksum")) again.set("checksum", root.path("checksum"));
    else again.remove("checksum");
    return again.equals(root);
  }

  private static SortedMap<String, SortedMap<String, CpuSet>> held(JsonNode entries)
      throws IOException {
    SortedMap<String, SortedMap<String, CpuSet>> held = new TreeMap<>();
    for (Map.Entry<String, JsonNode> pod : entries.properties()) {
      if (!pod.getValue().isObject())
        throw new IOException(
            "the entry \""
                + pod.getKey()
                + "\" is not an object, as kubelets before 1.18 wrote it");
      SortedMap<String, CpuSet> containers = new TreeMap<>();
      for (Map.Entry<String, JsonNode> container : pod.getValue().properties())
        containers.put(
            container.getKey(),
            cpus(
                container.getValue().asText(""),
                "cpuset \"%s\" for container \""
                    + container.getKey()
                    + "\" in pod \""
                    + pod.getKey()
                    + "\""));
      held.put(pod.getKey(), containers);
    }
    return held;
  }

  private static CpuSet cpus(String list, String what) throws IOException {
    try {
      return CpuSet.parse(list);
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "could not parse " + what.replace("%s", list) + ": " + e.getMessage(), e);
    }
  }

  private static String printed(String version, CpuState state) {
    return "(*state.CPUManagerCheckpoint"
        + version
        + "){PolicyName:(string)"
        + state.policy()
        + " DefaultCPUSet:(string)"
        + state.shared()
        + " Entries:(map[string]map[string]string)"
        + GoChecksum.map(state.held(), containers -> GoChecksum.map(containers, CpuSet::toString))
        + " Checksum:(checksum.Checksum)0}";
  }
}
