package dev.patchbay.interop.differential;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/// A generated machine.
record Machine(List<Numa> nodes) {
  private static final int PAGE_KIB = 2048;

  /// One NUMA node.
  ///
  /// @param hugePages how many of 2 MiB each
  /// @param cores CPU numbers, core by core
  record Numa(
      int id,
      long memory,
      int hugePages,
      List<Integer> distances,
      int socket,
      List<List<Integer>> cores) {
    int cpus() {
      return cores.stream().mapToInt(List::size).sum();
    }
  }

  List<Integer> ids() {
    return nodes.stream().map(Numa::id).toList();
  }

  @JsonIgnore
  boolean hasHugePages() {
    return nodes.stream().anyMatch(node -> node.hugePages() > 0);
  }

  int cpus() {
    return nodes.stream().mapToInt(Numa::cpus).sum();
  }

  /// As `start` takes it.
  ArrayNode topology() {
    ArrayNode all = JsonNodeFactory.instance.arrayNode();
    for (Numa node : nodes) {
      ObjectNode json = all.addObject().put("node_id", node.id()).put("memory", node.memory());
      node.distances().forEach(json.putArray("distances")::add);
      if (node.hugePages() > 0)
        json.putArray("hugepages")
            .addObject()
            .put("page_size", PAGE_KIB)
            .put("num_pages", node.hugePages());
      ArrayNode cores = json.putArray("cores");
      for (List<Integer> threads : node.cores()) {
        ObjectNode core =
            cores.addObject().put("core_id", threads.getFirst()).put("socket_id", node.socket());
        threads.forEach(core.putArray("thread_ids")::add);
      }
    }
    return all;
  }
}
