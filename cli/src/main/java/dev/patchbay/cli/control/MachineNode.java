package dev.patchbay.cli.control;

import dev.patchbay.kubelet.topology.NumaMachine;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// One NUMA node of the machine that the kubelet is to believe in.
///
/// @param hugePages number of pages by their size in bytes
/// @param distances to each node, in the order in which nodes are given
record MachineNode(
    int id,
    long memoryBytes,
    SortedMap<Long, Long> hugePages,
    List<Integer> distances,
    List<Core> cores) {
  private static final long DEFAULT_MEMORY = 8L << 30;
  private static final int DEFAULT_CPUS = 4;
  private static final int NEAR = 10;
  private static final int FAR = 20;
  private static final int MOST = 1024;

  /// One core with its threads, which are the node's CPUs.
  ///
  /// @param cache number of the last-level cache that it shares with some of them
  record Core(int id, List<Integer> threads, int socket, int cache) {}

  /// As the topology manager takes it.
  NumaMachine.Node numa() {
    return new NumaMachine.Node(
        id,
        memoryBytes,
        hugePages,
        distances,
        cores.stream()
            .map(core ->
                new NumaMachine.Core(core.id(), core.socket(), core.threads(), core.cache()))
            .toList());
  }

  /// From `topology`, else from `numa`, else a machine of one node.
  static List<MachineNode> read(Arguments config) throws WrongRequest {
    List<MachineNode> nodes = new ArrayList<>();
    for (Arguments each : config.objects("topology")) nodes.add(exact(each));
    return nodes.isEmpty() ? regular(config.optionalObject("numa")) : nodes;
  }

  private static MachineNode exact(Arguments node) throws WrongRequest {
    List<Core> cores = new ArrayList<>();
    for (Arguments core : node.objects("cores")) {
      int socket = Math.toIntExact(core.whole("socket_id", 0));
      cores.add(
          new Core(
              Math.toIntExact(core.whole("core_id")),
              core.wholes("thread_ids").stream().map(Math::toIntExact).toList(),
              socket,
              cache(core, socket)));
    }
    return new MachineNode(
        Math.toIntExact(node.whole("node_id")),
        node.whole("memory", DEFAULT_MEMORY),
        hugePages(node),
        node.wholes("distances").stream().map(Math::toIntExact).toList(),
        cores);
  }

  /// The first that is named, else what the socket's CPUs share.
  private static int cache(Arguments core, int socket) throws WrongRequest {
    List<Arguments> caches = core.objects("uncore_caches");
    return caches.isEmpty() ? socket : Math.toIntExact(caches.getFirst().whole("id"));
  }

  /// The sizes are given in KiB.
  private static SortedMap<Long, Long> hugePages(Arguments node) throws WrongRequest {
    SortedMap<Long, Long> all = new TreeMap<>();
    for (Arguments each : node.objects("hugepages"))
      all.put(each.whole("page_size") << 10, each.whole("num_pages"));
    return all;
  }

  /// Each node is a socket, each core has one thread.
  private static List<MachineNode> regular(Optional<Arguments> numa) throws WrongRequest {
    int count = 1;
    int cpus = DEFAULT_CPUS;
    long memory = DEFAULT_MEMORY;
    List<Long> distances = List.of();
    if (numa.isPresent()) {
      numa.get().refuseOthers("nodes", "cpusPerNode", "memory", "distances");
      count = bounded(numa.get(), "nodes", 1);
      cpus = bounded(numa.get(), "cpusPerNode", DEFAULT_CPUS);
      memory = numa.get().whole("memory", DEFAULT_MEMORY);
      distances = flat(numa.get(), count);
    }
    List<MachineNode> nodes = new ArrayList<>();
    for (int id = 0; id < count; id++) {
      List<Integer> row = new ArrayList<>();
      for (int to = 0; to < count; to++)
        row.add(
            distances.isEmpty()
                ? (to == id ? NEAR : FAR)
                : Math.toIntExact(distances.get(id * count + to)));
      List<Core> cores = new ArrayList<>();
      for (int cpu = id * cpus; cpu < (id + 1) * cpus; cpu++)
        cores.add(new Core(cpu, List.of(cpu), id, id));
      nodes.add(new MachineNode(id, memory, new TreeMap<>(), row, cores));
    }
    return nodes;
  }

  private static int bounded(Arguments numa, String name, int otherwise) throws WrongRequest {
    long found = numa.whole(name, otherwise);
    if (found < 1 || found > MOST)
      throw new WrongRequest(
          "%s: %s is %d; needed is 1 to %d".formatted(numa.where(), name, found, MOST));
    return (int) found;
  }

  /// Row by row, in one list or in a list of rows.
  private static List<Long> flat(Arguments numa, int count) throws WrongRequest {
    List<Long> all = new ArrayList<>();
    for (var each : numa.list("distances"))
      if (each.isArray()) for (var one : each) all.add(one.longValue());
      else all.add(each.longValue());
    if (!all.isEmpty() && all.size() != count * count)
      throw new WrongRequest(
          "%s: distances are %d numbers; needed are %d, row by row"
              .formatted(numa.where(), all.size(), count * count));
    return all;
  }
}
