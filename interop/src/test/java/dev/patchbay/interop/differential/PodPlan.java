package dev.patchbay.interop.differential;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.stream.Stream;

/// A pod that a sequence asks for.
record PodPlan(String name, List<Part> parts) {
  /// What a container is.
  enum Kind {
    INIT,
    SIDECAR,
    APP
  }

  /// One container.
  ///
  /// @param devices how many of which resource
  /// @param milliCpu request of cpu, 0 for none
  /// @param memory request of memory in bytes, 0 for none
  /// @param hugePages request and limit of huge pages of 2 MiB in bytes, 0 for none
  /// @param limited whether cpu and memory are limits too
  record Part(
      String name,
      Kind kind,
      SortedMap<String, Integer> devices,
      int milliCpu,
      long memory,
      long hugePages,
      boolean limited) {
    private ObjectNode json() {
      ObjectNode json = JsonNodeFactory.instance.objectNode().put("name", name).put("image", "i");
      if (kind == Kind.SIDECAR) json.put("restartPolicy", "Always");
      ObjectNode resources = json.putObject("resources");
      ObjectNode requests = resources.putObject("requests");
      ObjectNode limits = resources.putObject("limits");
      devices.forEach((resource, count) -> {
        requests.put(resource, count.toString());
        limits.put(resource, count.toString());
      });
      for (ObjectNode each : limited ? List.of(requests, limits) : List.of(requests)) {
        if (milliCpu > 0) each.put("cpu", milliCpu + "m");
        if (memory > 0) each.put("memory", Long.toString(memory));
      }
      if (hugePages > 0)
        for (ObjectNode each : List.of(requests, limits))
          each.put("hugepages-2Mi", Long.toString(hugePages));
      return json;
    }

    private Part withDevices(SortedMap<String, Integer> others) {
      return new Part(name, kind, others, milliCpu, memory, hugePages, limited);
    }

    @JsonIgnore
    boolean asksForDevices() {
      return devices.values().stream().anyMatch(count -> count > 0);
    }
  }

  @JsonIgnore
  String uid() {
    return "default-" + name;
  }

  /// Init containers first, each kind in its order.
  @JsonIgnore
  List<Part> inOrder() {
    return Stream.concat(
            parts.stream().filter(part -> part.kind() != Kind.APP),
            parts.stream().filter(part -> part.kind() == Kind.APP))
        .toList();
  }

  /// As the API server would show it.
  ObjectNode json() {
    ObjectNode pod =
        JsonNodeFactory.instance.objectNode().put("apiVersion", "v1").put("kind", "Pod");
    pod.putObject("metadata").put("name", name).put("namespace", "default").put("uid", uid());
    ObjectNode spec = pod.putObject("spec");
    for (Part part : parts)
      spec.withArrayProperty(part.kind() == Kind.APP ? "containers" : "initContainers")
          .add(part.json());
    return pod;
  }

  /// The same pod with less in it.
  List<PodPlan> simpler() {
    List<PodPlan> all = new ArrayList<>();
    for (Part part : parts) {
      List<Part> others = parts.stream().filter(each -> !each.name().equals(part.name())).toList();
      if (others.stream().anyMatch(each -> each.kind() == Kind.APP))
        all.add(new PodPlan(name, others));
      for (String resource : part.devices().keySet()) {
        var fewer = new java.util.TreeMap<>(part.devices());
        fewer.remove(resource);
        all.add(with(part, part.withDevices(fewer)));
      }
      if (part.milliCpu() > 0)
        all.add(with(part, new Part(part.name(), part.kind(), part.devices(), 0, 0, 0, false)));
      if (part.hugePages() > 0)
        all.add(
            with(
                part,
                new Part(
                    part.name(),
                    part.kind(),
                    part.devices(),
                    part.milliCpu(),
                    part.memory(),
                    0,
                    part.limited())));
    }
    return all;
  }

  private PodPlan with(Part old, Part part) {
    return new PodPlan(
        name, parts.stream().map(each -> each.name().equals(old.name()) ? part : each).toList());
  }
}
