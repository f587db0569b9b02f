package dev.patchbay.interop.differential;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.stream.Collectors;

/// A generated machine.
record Machine(List<Numa> nodes) {
  /// Of a NUMA node.
  static final int MOST_CACHES = 2;

  private static final int PAGE_KIB = 2048;

  /// One NUMA node.
  ///
  /// @param hugePages how many of 2 MiB each
  /// @param cores CPU numbers, core by core
  /// @param caches how many last-level caches the cores share
  record Numa(
      int id,
      long memory,
      int hugePages,
      List<Integer> distances,
      int socket,
      List<List<Integer>> cores,
      int caches) {
    int cpus() {
      return cores.stream().mapToInt(List::size).sum();
    }
  }

  List<Integer> ids() {
    return nodes.stream().map(Numa::id).toList();
  }

  /// Whether ids of NUMA nodes are left out.
  @JsonIgnore
  boolean hasGaps() {
    return nodes.getLast().id() >= nodes.size();
  }

  @JsonIgnore
  boolean hasHugePages() {
    return nodes.stream().anyMatch(node -> node.hugePages() > 0);
  }

  int cpus() {
    return nodes.stream().mapToInt(Numa::cpus).sum();
  }

  /// Whether all sockets have as many CPUs, and cores as many threads.
  @JsonIgnore
  boolean hasEvenSockets() {
    return nodes.stream()
            .collect(Collectors.groupingBy(Numa::socket, Collectors.summingInt(Numa::cpus)))
            .values()
            .stream()
            .distinct()
            .count()
        == 1;
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
      for (int i = 0; i < node.cores().size(); i++) {
        List<Integer> threads = node.cores().get(i);
        ObjectNode core =
            cores.addObject().put("core_id", threads.getFirst()).put("socket_id", node.socket());
        threads.forEach(core.putArray("thread_ids")::add);
        core.putArray("uncore_caches")
            .addObject()
            .put("id", node.id() * MOST_CACHES + i * node.caches() / node.cores().size())
            .put("level", 3);
      }
    }
    return all;
  }
}
