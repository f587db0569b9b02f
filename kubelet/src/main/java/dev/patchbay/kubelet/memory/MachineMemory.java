package dev.patchbay.kubelet.memory;

import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.NumaMask;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The memory of all NUMA nodes, immutable. A block on several nodes takes what the first of them
/// has before it takes of the next; it is given back in the same order, so that only the sum over a
/// group says which memory is free.
record MachineMemory(SortedMap<Integer, NodeMemory> nodes) {
  MachineMemory {
    nodes = Collections.unmodifiableSortedMap(new TreeMap<>(nodes));
  }

  /// A machine on which nothing is given out.
  ///
  /// @throws IllegalArgumentException when more is reserved than there is
  static MachineMemory unused(NumaMachine machine, MemorySettings settings) {
    SortedMap<Integer, NodeMemory> nodes = new TreeMap<>();
    for (NumaMachine.Node node : machine.nodes()) nodes.put(node.id(), unused(node, settings));
    for (int node : settings.reserved().keySet())
      if (!nodes.containsKey(node))
        throw new IllegalArgumentException(
            "the reserved memory configuration references a NUMA node "
                + node
                + " that does not exist on this machine");
    return new MachineMemory(nodes);
  }

  private static NodeMemory unused(NumaMachine.Node node, MemorySettings settings) {
    Map<String, Long> reserved =
        settings.reserved().getOrDefault(node.id(), Collections.emptySortedMap());
    SortedMap<String, MemoryTable> tables = new TreeMap<>();
    long inHugePages = 0;
    for (var pages : HugePages.bytesByType(node).entrySet()) {
      inHugePages += pages.getValue();
      tables.put(pages.getKey(), unused(node.id(), pages.getKey(), pages.getValue(), 0, reserved));
    }
    tables.put("memory", unused(node.id(), "memory", node.memoryBytes(), inHugePages, reserved));
    return new NodeMemory(0, tables, NumaMask.of(node.id()));
  }

  private static MemoryTable unused(
      int node, String type, long total, long inHugePages, Map<String, Long> reserved) {
    long system = reserved.getOrDefault(type, 0L);
    long allocatable = total - system - inHugePages;
    if (allocatable < 0)
      throw new IllegalArgumentException(
          "cannot reserve %d bytes of %s on NUMA node %d: it has %d, of which huge pages take %d"
              .formatted(system, type, node, total, inHugePages));
    return new MemoryTable(total, system, allocatable, 0, allocatable);
  }

  Optional<NodeMemory> node(int id) {
    return Optional.ofNullable(nodes.get(id));
  }

  /// What is free of a type on these nodes together.
  long free(NumaMask mask, String type) {
    return mask.nodes().stream()
        .map(this::node)
        .flatMap(Optional::stream)
        .mapToLong(node -> node.table(type).free())
        .sum();
  }

  /// One more block lies on these nodes and uses this many bytes that were free.
  MachineMemory using(NumaMask mask, String type, long bytes) {
    SortedMap<Integer, NodeMemory> changed = new TreeMap<>(nodes);
    long left = bytes;
    for (int id : mask.nodes()) {
      NodeMemory node = nodes.get(id);
      if (node == null) continue;
      MemoryTable table = node.table(type);
      long here = Math.min(left, table.free());
      left -= here;
      NodeMemory counted = node.with(node.assignments() + 1, mask);
      changed.put(id, here == 0 ? counted : counted.with(type, table.using(here)));
    }
    return new MachineMemory(changed);
  }

  /// A block is gone. What other blocks have on one node alone stays there; the kubelet would take
  /// it for the block's where a node is used both alone and in a group, and lose as much elsewhere.
  ///
  /// @param others the blocks that stay
  MachineMemory without(MemoryBlock block, List<MemoryBlock> others) {
    SortedMap<Integer, NodeMemory> changed = new TreeMap<>(nodes);
    long left = block.sizeBytes();
    for (int id : block.nodes().nodes()) {
      NodeMemory node = nodes.get(id);
      if (node == null) continue;
      MemoryTable table = node.table(block.type());
      long here =
          Math.clamp(table.reserved() - sum(others, NumaMask.of(id), block.type()), 0, left);
      left -= here;
      int assignments = node.assignments() - 1;
      NodeMemory counted =
          node.with(assignments, assignments == 0 ? NumaMask.of(id) : node.group());
      changed.put(id, here == 0 ? counted : counted.with(block.type(), table.using(-here)));
    }
    return new MachineMemory(changed);
  }

  /// What blocks that lie on these nodes alone have.
  private static long sum(List<MemoryBlock> blocks, NumaMask on, String type) {
    return blocks.stream()
        .filter(block -> block.type().equals(type) && on.containsAll(block.nodes()))
        .mapToLong(MemoryBlock::sizeBytes)
        .sum();
  }

  /// Whether blocks on these nodes may stand beside those that are there: a node is used alone or
  /// with one group.
  boolean allows(NumaMask mask) {
    if (mask.size() == 1) return true;
    return mask.nodes().stream()
        .map(this::node)
        .flatMap(Optional::stream)
        .allMatch(node -> node.assignments() == 0 || node.group().equals(mask));
  }

  /// Checks whether a state file's machine is this unused one with the file's blocks on it. Nodes
  /// that blocks connect count as one, since which of them a block's memory lies on depends on what
  /// was there when it came.
  ///
  /// @throws IOException when it is not; the text is the kubelet's
  void check(MachineMemory found, SortedMap<String, SortedMap<String, List<MemoryBlock>>> held)
      throws IOException {
    for (var pod : held.entrySet())
      for (var container : pod.getValue().entrySet())
        for (MemoryBlock block : container.getValue())
          checkKnown(block, pod.getKey(), container.getKey());
    List<MemoryBlock> blocks =
        held.values().stream()
            .flatMap(containers -> containers.values().stream())
            .flatMap(List::stream)
            .toList();
    if (!nodes.keySet().equals(found.nodes.keySet())
        || !nodes.keySet().stream().allMatch(id -> agrees(id, found, blocks)))
      throw new IOException(
          "[memorymanager] the expected machine state is different from the real one");
  }

  private void checkKnown(MemoryBlock block, String podUid, String container) throws IOException {
    String owner = "[memorymanager] (pod: " + podUid + ", container: " + container + ")";
    if (!nodes.keySet().containsAll(block.nodes().nodes()))
      throw new IOException(owner + " the memory assignment uses the NUMA that does not exist");
    if (block.nodes().nodes().stream()
        .map(this::node)
        .flatMap(Optional::stream)
        .noneMatch(node -> node.tables().containsKey(block.type())))
      throw new IOException(
          owner + " the memory assignment uses memory resource that does not exist");
  }

  private boolean agrees(int id, MachineMemory found, List<MemoryBlock> blocks) {
    NodeMemory unused = nodes.get(id);
    NodeMemory used = found.nodes.get(id);
    if (unused == null || used == null) return false;
    long here = blocks.stream().filter(block -> block.nodes().contains(id)).count();
    NumaMask connected = connected(NumaMask.of(id), blocks);
    return used.assignments() == here
        && used.group().contains(id)
        && unused.tables().keySet().equals(used.tables().keySet())
        && unused.tables().keySet().stream()
            .allMatch(type ->
                sameSize(unused.table(type), used.table(type))
                    && found.reserved(connected, type) == sum(blocks, connected, type));
  }

  /// The nodes that can be reached from these over blocks that lie on several.
  private static NumaMask connected(NumaMask from, List<MemoryBlock> blocks) {
    NumaMask reached = from;
    for (MemoryBlock block : blocks)
      if (block.nodes().touches(reached)) reached = reached.or(block.nodes());
    return reached.equals(from) ? reached : connected(reached, blocks);
  }

  private static boolean sameSize(MemoryTable unused, MemoryTable used) {
    return unused.total() == used.total()
        && unused.systemReserved() == used.systemReserved()
        && unused.allocatable() == used.allocatable()
        && used.reserved() + used.free() == used.allocatable();
  }

  private long reserved(NumaMask mask, String type) {
    return mask.nodes().stream()
        .map(this::node)
        .flatMap(Optional::stream)
        .mapToLong(node -> node.table(type).reserved())
        .sum();
  }
}
