package dev.patchbay.kubelet.cpu;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.patchbay.kubelet.checkpoint.GoChecksum;
import dev.patchbay.kubelet.checkpoint.StateFormat;
import java.io.IOException;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// The JSON text of the state file, in the format that the kubelet has written since 1.18
/// (`CPUManagerCheckpointV2`).
final class CpuStateFormat implements StateFormat<CpuState> {
  @Override
  public String policy(CpuState state) {
    return state.policy();
  }

  @Override
  public void put(CpuState state, ObjectNode root) {
    root.put("policyName", state.policy());
    root.put("defaultCpuSet", state.shared().toString());
    if (state.held().isEmpty()) return;
    ObjectNode pods = root.putObject("entries");
    state
        .held()
        .forEach((pod, containers) -> {
          ObjectNode node = pods.putObject(pod);
          containers.forEach((name, cpus) -> node.put(name, cpus.toString()));
        });
  }

  @Override
  public CpuState state(JsonNode root) throws IOException {
    return new CpuState(
        root.path("policyName").asText(""),
        cpus(root.path("defaultCpuSet").asText(""), "default cpu set \"%s\""),
        held(root.path("entries")));
  }

  @Override
  public String printed(CpuState state) {
    return printed("", state);
  }

  @Override
  public String printedAsVersioned(CpuState state) {
    return printed("V2", state);
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
