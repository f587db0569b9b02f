package dev.patchbay.kubelet.memory;

import dev.patchbay.kubelet.topology.NumaMask;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.ToLongBiFunction;

/// On which groups of NUMA nodes a demand for several types of memory can be met. All types of one
/// container lie on one group, so the hints are the same for each.
///
/// Groups are walked as sets of nodes; what their nodes have is added up on the way, so that a
/// group costs one addition for each type.
final class MemoryHints {
  /// One group.
  ///
  /// @param preferred no smaller one would do if the whole machine's memory were free
  record Hint(NumaMask nodes, boolean preferred) {}

  private final MachineMemory machine;
  private final ToLongBiFunction<NumaMask, String> reusable;
  private final List<Map.Entry<String, Long>> demand;
  private final List<NodeMemory> nodes;
  private final int[] ids;
  private final List<NumaMask> found = new ArrayList<>();
  private int narrowest;

  private MemoryHints(
      MachineMemory machine,
      SortedMap<String, Long> demand,
      ToLongBiFunction<NumaMask, String> reusable) {
    this.machine = machine;
    this.reusable = reusable;
    this.demand = List.copyOf(demand.entrySet());
    this.nodes = List.copyOf(machine.nodes().values());
    this.ids = machine.nodes().keySet().stream().mapToInt(Integer::intValue).toArray();
    this.narrowest = ids.length;
  }

  /// The hints, small groups first and then by the lowest nodes, as the kubelet lists them.
  ///
  /// @param reusable bytes of a type that init containers of the same pod have on exactly a group
  static List<Hint> of(
      MachineMemory machine,
      SortedMap<String, Long> demand,
      ToLongBiFunction<NumaMask, String> reusable) {
    var hints = new MemoryHints(machine, demand, reusable);
    for (int size = 1; size <= hints.ids.length; size++) {
      int types = demand.size();
      hints.walk(0, size, 0, new long[types], new long[types]);
    }
    return hints.found.stream()
        .map(mask -> new Hint(mask, mask.size() == hints.narrowest))
        .toList();
  }

  private void walk(int from, int left, long mask, long[] allocatable, long[] free) {
    if (left == 0) {
      judge(new NumaMask(mask), allocatable, free);
      return;
    }
    for (int i = from; i <= ids.length - left; i++) {
      long[] moreAllocatable = allocatable.clone();
      long[] moreFree = free.clone();
      for (int type = 0; type < demand.size(); type++) {
        MemoryTable table = nodes.get(i).table(demand.get(type).getKey());
        moreAllocatable[type] += table.allocatable();
        moreFree[type] += table.free();
      }
      walk(i + 1, left - 1, mask | 1L << ids[i], moreAllocatable, moreFree);
    }
  }

  private void judge(NumaMask mask, long[] allocatable, long[] free) {
    for (int type = 0; type < demand.size(); type++)
      if (allocatable[type] < demand.get(type).getValue()) return;
    narrowest = Math.min(narrowest, mask.size());
    if (inLargerGroup(mask) || !machine.allows(mask)) return;
    for (int type = 0; type < demand.size(); type++) {
      Map.Entry<String, Long> asked = demand.get(type);
      if (free[type] + reusable.applyAsLong(mask, asked.getKey()) < asked.getValue()) return;
    }
    found.add(mask);
  }

  /// Whether this is one node and belongs to a group of several.
  private boolean inLargerGroup(NumaMask mask) {
    return mask.size() == 1
        && mask.nodes().stream()
            .map(machine::node)
            .flatMap(Optional::stream)
            .anyMatch(node -> node.group().size() > 1);
  }

  /// The preferred of these hints, of them the smallest and then the one with the lowest nodes.
  static Optional<Hint> best(List<Hint> hints) {
    return hints.stream()
        .min(Comparator.comparing(Hint::preferred).reversed().thenComparing(Hint::nodes));
  }
}
