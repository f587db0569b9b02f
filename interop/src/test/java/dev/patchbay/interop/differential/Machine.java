package dev.patchbay.interop.differential;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/// A generated machine.
record Machine(List<Numa> nodes) {
  /// One NUMA node.
  ///
  /// @param cores CPU numbers, core by core
  record Numa(int id, long memory, List<Integer> distances, int socket, List<List<Integer>> cores) {
    int cpus() {
      return cores.stream().mapToInt(List::size).sum();
    }
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
