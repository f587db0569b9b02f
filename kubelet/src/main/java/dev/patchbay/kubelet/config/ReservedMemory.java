package dev.patchbay.kubelet.config;

import com.fasterxml.jackson.databind.JsonNode;
import dev.patchbay.kubelet.pods.Quantities;
import dev.patchbay.kubelet.topology.NumaMachine;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// The field `reservedMemory`: what of each NUMA node's memory no container gets.
final class ReservedMemory {
  private static final String FIELD = "reservedMemory";

  private final ConfigTree tree;

  ReservedMemory(ConfigTree tree) {
    this.tree = tree;
  }

  /// Bytes by NUMA node and type.
  SortedMap<Integer, SortedMap<String, Long>> read() {
    SortedMap<Integer, SortedMap<String, Long>> reserved = new TreeMap<>();
    List<JsonNode> items = tree.items(FIELD);
    for (int i = 0; i < items.size(); i++) {
      String at = FIELD + "[" + i + "]";
      SortedMap<String, JsonNode> entries = tree.entries(at, Optional.of(items.get(i)));
      JsonNode node = entries.remove("numaNode");
      JsonNode limits = entries.remove("limits");
      for (String other : entries.keySet())
        tree.problem(at + "." + other, "is unknown; known are numaNode and limits");
      int id = 0;
      if (node != null && node.canConvertToInt() && node.intValue() >= 0) id = node.intValue();
      else if (node != null)
        tree.problem(
            at + ".numaNode",
            "is " + ConfigTree.shown(node) + "; needed is the number of a NUMA node");
      readLimits(
          at + ".limits",
          tree.entries(at + ".limits", Optional.ofNullable(limits)),
          reserved.computeIfAbsent(id, _ -> new TreeMap<>()));
    }
    return reserved;
  }

  private void readLimits(
      String at, SortedMap<String, JsonNode> limits, SortedMap<String, Long> reserved) {
    limits.forEach((type, value) -> {
      String field = at + "." + type;
      if (!type.equals("memory") && !type.startsWith("hugepages-"))
        tree.problem(field, "is no memory; needed is memory or hugepages-<size>");
      else if (reserved.containsKey(type)) tree.problem(field, "is given twice for this NUMA node");
      else amount(field, value).ifPresent(amount -> reserved.put(type, amount));
    });
  }

  private Optional<Long> amount(String field, JsonNode value) {
    try {
      long amount = value.isValueNode() ? Quantities.amount("", value.asText()) : 0;
      if (amount > 0) return Optional.of(amount);
    } catch (IllegalArgumentException e) {
      // Said below, with what is not more than nothing.
    }
    tree.problem(
        field,
        "is " + ConfigTree.shown(value) + "; needed is a quantity above zero, such as 100Mi");
    return Optional.empty();
  }

  /// Checks that NUMA nodes together keep as much as the node does.
  ///
  /// @throws IllegalArgumentException when they do not, or are not of this machine
  static void check(
      SortedMap<Integer, SortedMap<String, Long>> reserved,
      Map<String, Long> ofNode,
      NumaMachine machine) {
    List<Integer> ids = machine.nodes().stream().map(NumaMachine.Node::id).toList();
    for (int id : reserved.keySet())
      if (!ids.contains(id))
        throw new IllegalArgumentException(
            "names NUMA node %d; this machine has %s".formatted(id, ids));
    SortedSet<String> types = new TreeSet<>();
    types.add("memory");
    reserved.values().forEach(limits -> types.addAll(limits.keySet()));
    for (String type : types) {
      long sum = reserved.values().stream().mapToLong(it -> it.getOrDefault(type, 0L)).sum();
      long needed = ofNode.getOrDefault(type, 0L);
      if (sum != needed)
        throw new IllegalArgumentException(
            "is %d bytes of %s on all NUMA nodes together; needed are %d, which systemReserved, kubeReserved and evictionHard keep of the node"
                .formatted(sum, type, needed));
    }
  }
}
