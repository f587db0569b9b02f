package dev.patchbay.kubelet.topology;

import com.fasterxml.jackson.databind.JsonNode;
import dev.patchbay.kubelet.topology.NumaMachine.Core;
import dev.patchbay.kubelet.topology.NumaMachine.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/// A machine that is given as JSON, in one of the two forms of the control protocol.
public final class NumaForms {
  private static final int DEFAULT_NODES = 1;
  private static final int DEFAULT_CPUS = 4;
  private static final long DEFAULT_MEMORY = 8L << 30;
  private static final long KIB = 1024;

  private NumaForms() {}

  /// Equal nodes: `{"nodes": 1, "cpusPerNode": 4, "memory": <bytes of each>, "distances": [row by
  /// row]}`. What is absent is one node, 4 CPUs, 8 GiB, and distances of 10 and 20.
  ///
  /// @throws IllegalArgumentException when a number is missing, or none; names the key
  public static NumaMachine regular(JsonNode numa) {
    int nodes = (int) number(numa, "nodes", DEFAULT_NODES);
    var machine =
        NumaMachine.regular(
            nodes,
            (int) number(numa, "cpusPerNode", DEFAULT_CPUS),
            number(numa, "memory", DEFAULT_MEMORY));
    List<Integer> distances = numbers(numa, "distances");
    if (distances.isEmpty()) return machine;
    if (distances.size() != nodes * nodes)
      throw new IllegalArgumentException(
          "numa.distances has %d numbers; needed are %d for %d nodes, row by row"
              .formatted(distances.size(), nodes * nodes, nodes));
    return machine.withDistances(
        IntStream.range(0, nodes)
            .mapToObj(row -> distances.subList(row * nodes, (row + 1) * nodes))
            .toList());
  }

  /// Exactly these nodes, as cAdvisor writes them: `[{"node_id", "memory", "hugepages":
  /// [{"page_size": <KiB>, "num_pages"}], "distances": […], "cores": [{"core_id", "thread_ids":
  /// […], "socket_id"}]}]`.
  ///
  /// @throws IllegalArgumentException when a number is none, or an id is there twice; names the key
  public static NumaMachine exact(JsonNode topology) {
    List<Node> nodes = new ArrayList<>();
    for (JsonNode node : topology)
      nodes.add(
          new Node(
              (int) number(node, "node_id", 0),
              number(node, "memory", 0),
              hugePages(node.path("hugepages")),
              numbers(node, "distances"),
              cores(node.path("cores"))));
    return new NumaMachine(nodes);
  }

  private static SortedMap<Long, Long> hugePages(JsonNode pages) {
    SortedMap<Long, Long> sizes = new TreeMap<>();
    for (JsonNode each : pages)
      sizes.put(number(each, "page_size", 0) * KIB, number(each, "num_pages", 0));
    return sizes;
  }

  private static List<Core> cores(JsonNode cores) {
    List<Core> list = new ArrayList<>();
    for (JsonNode core : cores)
      list.add(
          new Core(
              (int) number(core, "core_id", 0),
              (int) number(core, "socket_id", 0),
              numbers(core, "thread_ids")));
    return list;
  }

  private static long number(JsonNode object, String key, long absent) {
    JsonNode value = object.path(key);
    if (value.isMissingNode() || value.isNull()) return absent;
    if (!value.isIntegralNumber())
      throw new IllegalArgumentException(key + " is " + value + "; needed is a whole number");
    return value.longValue();
  }

  private static List<Integer> numbers(JsonNode object, String key) {
    List<Integer> numbers = new ArrayList<>();
    for (JsonNode value : object.path(key)) {
      if (!value.isInt())
        throw new IllegalArgumentException(key + " has " + value + "; needed are whole numbers");
      numbers.add(value.intValue());
    }
    return numbers;
  }
}
