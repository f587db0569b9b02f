package dev.patchbay.kubelet.memory;

import dev.patchbay.kubelet.topology.NumaMask;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
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

  private final ToLongBiFunction<NumaMask, String> reusable;
  private final List<String> types;
  private final long[] asked;
  private final int[] ids;
  // What each node has of each type: allocatable, then free.
  private final long[][] has;
  // The group that a node in use is bound to, 0 for an unused one.
  private final long[] bound;
  // What the nodes chosen so far have, by how many they are.
  private final long[][] sums;
  private final List<NumaMask> found = new ArrayList<>();
  private int narrowest;

  private MemoryHints(
      MachineMemory machine,
      SortedMap<String, Long> demand,
      ToLongBiFunction<NumaMask, String> reusable) {
    this.reusable = reusable;
    this.types = List.copyOf(demand.keySet());
    this.asked = demand.values().stream().mapToLong(Long::longValue).toArray();
    this.ids = machine.nodes().keySet().stream().mapToInt(Integer::intValue).toArray();
    List<NodeMemory> nodes = List.copyOf(machine.nodes().values());
    this.has = nodes.stream().map(this::has).toArray(long[][]::new);
    this.bound =
        nodes.stream()
            .mapToLong(node -> node.assignments() == 0 ? 0 : node.group().bits())
            .toArray();
    this.sums = new long[ids.length + 1][2 * asked.length];
    this.narrowest = ids.length;
  }

  private long[] has(NodeMemory node) {
    long[] has = new long[2 * types.size()];
    for (int type = 0; type < types.size(); type++) {
      MemoryTable table = node.table(types.get(type));
      has[type] = table.allocatable();
      has[types.size() + type] = table.free();
    }
    return has;
  }

  /// The hints, small groups first and then by the lowest nodes, as the kubelet lists them.
  ///
  /// @param reusable bytes of a type that init containers of the same pod have on exactly a group
  static List<Hint> of(
      MachineMemory machine,
      SortedMap<String, Long> demand,
      ToLongBiFunction<NumaMask, String> reusable) {
    var hints = new MemoryHints(machine, demand, reusable);
    for (int size = 1; size <= hints.ids.length; size++) hints.walk(0, 0, size, 0);
    return hints.found.stream()
        .map(mask -> new Hint(mask, mask.size() == hints.narrowest))
        .toList();
  }

  private void walk(int from, int chosen, int size, long mask) {
    if (chosen == size) {
      judge(new NumaMask(mask), sums[size]);
      return;
    }
    for (int node = from; node <= ids.length - (size - chosen); node++) {
      for (int i = 0; i < 2 * asked.length; i++)
        sums[chosen + 1][i] = sums[chosen][i] + has[node][i];
      walk(node + 1, chosen + 1, size, mask | 1L << ids[node]);
    }
  }

  private void judge(NumaMask mask, long[] sum) {
    for (int type = 0; type < asked.length; type++) if (sum[type] < asked[type]) return;
    narrowest = Math.min(narrowest, mask.size());
    if (!isOpen(mask)) return;
    for (int type = 0; type < asked.length; type++) {
      long free = sum[asked.length + type];
      if (free < asked[type] && free + reusable.applyAsLong(mask, types.get(type)) < asked[type])
        return;
    }
    found.add(mask);
  }

  /// Whether no node of it is bound to another group; nodes used alone may be used so again.
  private boolean isOpen(NumaMask mask) {
    for (int node = 0; node < ids.length; node++)
      if (mask.contains(ids[node]) && bound[node] != 0 && bound[node] != mask.bits()) return false;
    return true;
  }

  /// The preferred of these hints, of them the smallest and then the one with the lowest nodes.
  static Optional<Hint> best(List<Hint> hints) {
    return hints.stream()
        .min(Comparator.comparing(Hint::preferred).reversed().thenComparing(Hint::nodes));
  }
}
