package dev.patchbay.kubelet.topology;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/// The NUMA nodes of a machine with what they have.
///
/// @param nodes by id, which need not be without gaps; each id once
public record NumaMachine(List<Node> nodes) {
  private static final int DISTANCE_TO_ITSELF = 10;
  private static final int DISTANCE_TO_OTHERS = 20;

  public NumaMachine {
    nodes = nodes.stream().sorted(Comparator.comparingInt(Node::id)).toList();
    for (int i = 1; i < nodes.size(); i++)
      if (nodes.get(i - 1).id() == nodes.get(i).id())
        throw new IllegalArgumentException(
            "two NUMA nodes have the id " + nodes.get(i).id() + "; needed is one of each");
  }

  /// One NUMA node.
  ///
  /// @param hugePages number of pages by their size in bytes
  /// @param distances to all nodes, itself included, as the firmware says it: by id where the list
  ///   is long enough for that, else in the order of ids; empty when unknown
  /// @param cores with at least one thread each
  public record Node(
      int id,
      long memoryBytes,
      SortedMap<Long, Long> hugePages,
      List<Integer> distances,
      List<Core> cores) {
    public Node {
      if (id < 0) throw new IllegalArgumentException("a NUMA node has the id " + id);
      hugePages = Collections.unmodifiableSortedMap(new TreeMap<>(hugePages));
      distances = List.copyOf(distances);
      cores = List.copyOf(cores);
    }
  }

  /// One physical core.
  ///
  /// @param id as the kernel numbers it: unique on a socket, not on the machine
  /// @param threads numbers of its logical CPUs, unique on the machine
  /// @param cache number of the last-level cache that it shares with some of its node's cores, or
  ///   with those of several nodes; the socket's where no such cache is known
  public record Core(int id, int socket, List<Integer> threads, int cache) {
    public Core {
      threads = List.copyOf(threads);
    }

    /// A core of which no cache is known.
    public Core(int id, int socket, List<Integer> threads) {
      this(id, socket, threads, socket);
    }
  }

  /// A machine of equal nodes without huge pages. Each node is a socket, each CPU a core of its
  /// own; CPUs are numbered node by node. A node is at distance 10 to itself and 20 to others.
  public static NumaMachine regular(int nodes, int cpusPerNode, long memoryBytesPerNode) {
    return new NumaMachine(
        IntStream.range(0, nodes)
            .mapToObj(node -> regularNode(node, nodes, cpusPerNode, memoryBytesPerNode))
            .toList());
  }

  private static Node regularNode(int node, int nodes, int cpus, long memoryBytes) {
    List<Integer> distances = new ArrayList<>(Collections.nCopies(nodes, DISTANCE_TO_OTHERS));
    distances.set(node, DISTANCE_TO_ITSELF);
    return new Node(
        node,
        memoryBytes,
        new TreeMap<>(),
        distances,
        IntStream.range(node * cpus, (node + 1) * cpus)
            .mapToObj(cpu -> new Core(cpu, node, List.of(cpu)))
            .toList());
  }

  /// The same machine with these distances.
  ///
  /// @param rows a row for each node in the order of ids
  /// @throws IllegalArgumentException when there are more or fewer rows than nodes
  public NumaMachine withDistances(List<List<Integer>> rows) {
    if (rows.size() != nodes.size())
      throw new IllegalArgumentException(
          rows.size() + " rows of distances for " + nodes.size() + " NUMA nodes");
    return new NumaMachine(
        IntStream.range(0, rows.size())
            .mapToObj(i -> {
              Node node = nodes.get(i);
              return new Node(
                  node.id(), node.memoryBytes(), node.hugePages(), rows.get(i), node.cores());
            })
            .toList());
  }

  /// The logical CPUs of all nodes, node by node.
  public List<Integer> cpus() {
    return nodes.stream()
        .flatMap(node -> node.cores().stream())
        .flatMap(core -> core.threads().stream())
        .toList();
  }

  /// Whether the cores of these CPUs share one last-level cache; so do none and a single one.
  public boolean shareCache(Collection<Integer> cpus) {
    return nodes.stream()
            .flatMap(node -> node.cores().stream())
            .filter(core -> !Collections.disjoint(core.threads(), cpus))
            .mapToInt(Core::cache)
            .distinct()
            .count()
        < 2;
  }

  /// All nodes.
  ///
  /// @throws IllegalArgumentException when an id is over 63
  public NumaMask mask() {
    return NumaMask.of(nodes.stream().map(Node::id).toList());
  }
}
