package dev.patchbay.kubelet.cpu;

import dev.patchbay.kubelet.cpu.CpuLayout.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Chooses CPUs so that few parts of the machine are touched and the fullest are filled first.
///
/// Whole sockets and NUMA nodes come first (sockets before nodes where a socket holds several
/// nodes, else nodes before sockets), then whole cores, then single CPUs. Within a level the parts
/// with the fewest free CPUs come first and, among equals, those with the lowest number; lower
/// levels are sorted inside the order of the higher ones. This is the order of the kubelet's static
/// policy, `takeByTopologyNUMAPacked` of Kubernetes 1.36.
///
/// A socket or core counts as free only when it has as many CPUs as all parts of its level have on
/// average, as there; but here all its CPUs must be free too, where the kubelet would on a machine
/// with uneven sockets hand out CPUs that are in use.
final class PackedChoice {
  private final CpuLayout layout;
  private final boolean nodesAboveSockets;
  private CpuSet free;
  private CpuSet taken = CpuSet.EMPTY;
  private int needed;

  private PackedChoice(CpuLayout layout, CpuSet free, int needed) {
    this.layout = layout;
    this.free = free.intersection(layout.all());
    this.needed = needed;
    this.nodesAboveSockets = layout.parts(Level.SOCKET).size() >= layout.parts(Level.NODE).size();
  }

  /// As many of the free CPUs as are needed, which must be there.
  static CpuSet of(CpuLayout layout, CpuSet free, int needed) {
    var choice = new PackedChoice(layout, free, needed);
    choice.takeWhole(choice.nodesAboveSockets ? Level.NODE : Level.SOCKET);
    choice.takeWhole(choice.nodesAboveSockets ? Level.SOCKET : Level.NODE);
    choice.takeWhole(Level.CORE);
    choice.takeSingle();
    return choice.taken;
  }

  private void takeWhole(Level level) {
    if (needed == 0) return;
    SortedMap<Integer, CpuSet> parts = layout.parts(level);
    for (int part : order(level)) {
      CpuSet whole = parts.getOrDefault(part, CpuSet.EMPTY);
      // NUMA nodes are compared with their own size, the others with the average.
      boolean even = level == Level.NODE || whole.size() == layout.evenShare(level);
      if (even && needed >= whole.size() && free.containsAll(whole)) take(whole);
    }
  }

  private void takeSingle() {
    if (needed == 0) return;
    for (int core : order(Level.CORE)) {
      CpuSet inCore = layout.parts(Level.CORE).getOrDefault(core, CpuSet.EMPTY).intersection(free);
      for (int cpu : inCore.toList()) {
        if (needed == 0) return;
        take(CpuSet.of(cpu));
      }
    }
  }

  private void take(CpuSet cpus) {
    taken = taken.union(cpus);
    free = free.minus(cpus);
    needed -= cpus.size();
  }

  /// The parts of a level that have a free CPU, in the order in which they are used.
  private List<Integer> order(Level level) {
    Level first = nodesAboveSockets ? Level.NODE : Level.SOCKET;
    Level second = nodesAboveSockets ? Level.SOCKET : Level.NODE;
    List<Integer> order = sorted(first, free);
    if (level == first) return order;
    order = within(order, first, second);
    if (level == second) return order;
    return within(order, second, Level.CORE);
  }

  /// The parts of the inner level, those of the first outer part first. One that reaches into
  /// several outer parts keeps its first place.
  private List<Integer> within(List<Integer> outer, Level outerLevel, Level inner) {
    var order = new LinkedHashSet<Integer>();
    for (int part : outer)
      order.addAll(
          sorted(
              inner, layout.parts(outerLevel).getOrDefault(part, CpuSet.EMPTY).intersection(free)));
    return new ArrayList<>(order);
  }

  /// The parts of a level that these CPUs touch, by the number of their free CPUs, then by number.
  private List<Integer> sorted(Level level, CpuSet touched) {
    Map<Integer, Integer> sizes = new TreeMap<>();
    touched.stream()
        .map(cpu -> level.of(layout.cpu(cpu)))
        .distinct()
        .forEach(part ->
            sizes.put(
                part,
                layout.parts(level).getOrDefault(part, CpuSet.EMPTY).intersection(free).size()));
    return sizes.entrySet().stream()
        .sorted(Map.Entry.<Integer, Integer>comparingByValue().thenComparing(byKey()))
        .map(Map.Entry::getKey)
        .collect(Collectors.toList());
  }

  private static Comparator<Map.Entry<Integer, Integer>> byKey() {
    return Map.Entry.comparingByKey();
  }
}
