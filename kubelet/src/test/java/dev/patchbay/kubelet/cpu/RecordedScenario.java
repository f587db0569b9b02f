package dev.patchbay.kubelet.cpu;

import com.fasterxml.jackson.databind.JsonNode;
import dev.patchbay.kubelet.Pods;
import dev.patchbay.kubelet.pods.NativeResources;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.NumaMask;
import dev.patchbay.kubelet.topology.TopologyHint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// One line of the recorded scenarios: a machine, pods, and what the kubelet's own CPU and memory
/// manager (Kubernetes 1.36.3, policies `static` and `Static`) answered step by step.
record RecordedScenario(JsonNode line) {
  NumaMachine machine() {
    List<NumaMachine.Node> nodes = new ArrayList<>();
    for (JsonNode node : line.path("topology")) {
      SortedMap<Long, Long> hugePages = new TreeMap<>();
      for (Map.Entry<String, JsonNode> pages : node.path("hugepages").properties())
        hugePages.put(Long.parseLong(pages.getKey()) * 1024, pages.getValue().asLong());
      List<NumaMachine.Core> cores = new ArrayList<>();
      for (JsonNode core : node.path("cores")) {
        List<Integer> threads = new ArrayList<>();
        core.path("thread_ids").forEach(thread -> threads.add(thread.asInt()));
        int socket = core.path("socket_id").asInt();
        cores.add(
            new NumaMachine.Core(
                cores.size(), socket, threads, core.path("uncore_cache").asInt(socket)));
      }
      nodes.add(
          new NumaMachine.Node(
              node.path("node_id").asInt(),
              node.path("memory").asLong(),
              hugePages,
              List.of(),
              cores));
    }
    return new NumaMachine(nodes);
  }

  CpuSettings cpuSettings() {
    CpuSet reserved = CpuSet.parse(line.path("reserved").asText());
    CpuSettings settings =
        reserved.isEmpty()
            ? CpuSettings.reserving(line.path("reservedCount").asInt())
            : CpuSettings.reserving(reserved);
    SortedMap<String, String> options = new TreeMap<>();
    for (Map.Entry<String, JsonNode> option : line.path("options").properties())
      options.put(option.getKey(), option.getValue().asText());
    return settings.with(CpuOptions.of(options, Map.of()));
  }

  String topologyPolicy() {
    return line.path("topologyPolicy").asText("none");
  }

  SortedMap<Integer, SortedMap<String, Long>> reservedMemory() {
    SortedMap<Integer, SortedMap<String, Long>> reserved = new TreeMap<>();
    for (Map.Entry<String, JsonNode> node : line.path("reservedMemory").properties()) {
      SortedMap<String, Long> types = new TreeMap<>();
      for (Map.Entry<String, JsonNode> type : node.getValue().properties())
        types.put(type.getKey(), type.getValue().asLong());
      reserved.put(Integer.valueOf(node.getKey()), types);
    }
    return reserved;
  }

  Map<String, PodSpec> pods() {
    Map<String, PodSpec> pods = new LinkedHashMap<>();
    for (JsonNode pod : line.path("pods"))
      pods.put(
          pod.path("uid").asText(),
          new PodSpec(
              pod.path("uid").asText(),
              "default",
              pod.path("uid").asText(),
              Map.of(),
              containers(pod, "init"),
              containers(pod, "containers"),
              PodSpec.RestartPolicy.ALWAYS));
    return pods;
  }

  private static List<ContainerSpec> containers(JsonNode pod, String key) {
    List<ContainerSpec> containers = new ArrayList<>();
    for (JsonNode container : pod.path(key)) {
      SortedMap<String, Long> asked = new TreeMap<>();
      asked.put("cpu", container.path("cpu").asLong());
      asked.put("memory", container.path("memory").asLong());
      for (Map.Entry<String, JsonNode> huge : container.path("huge").properties())
        asked.put(huge.getKey(), huge.getValue().asLong());
      containers.add(
          Pods.container(
                  container.path("name").asText(), Map.of(), container.path("sidecar").asBoolean())
              .withResources(
                  new NativeResources(
                      asked,
                      pod.path("guaranteed").asBoolean() ? asked : Collections.emptySortedMap())));
    }
    return containers;
  }

  static TopologyHint hint(JsonNode hint) {
    List<Integer> mask = new ArrayList<>();
    hint.path("mask").forEach(node -> mask.add(node.asInt()));
    return new TopologyHint(
        mask.isEmpty() ? Optional.empty() : Optional.of(NumaMask.of(mask)),
        hint.path("preferred").asBoolean());
  }

  /// Hints as they were recorded, in the form that a source of hints gives.
  static SortedMap<String, Optional<List<TopologyHint>>> hints(JsonNode byResource) {
    SortedMap<String, Optional<List<TopologyHint>>> hints = new TreeMap<>();
    for (Map.Entry<String, JsonNode> resource : byResource.properties()) {
      List<TopologyHint> list = new ArrayList<>();
      resource.getValue().forEach(hint -> list.add(hint(hint)));
      hints.put(resource.getKey(), Optional.of(list));
    }
    return hints;
  }

  @Override
  public String toString() {
    return "recorded scenario " + line.path("seed").asLong();
  }
}
