package dev.patchbay.kubelet.cpu;

import dev.patchbay.kubelet.cpu.CpuLayout.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Chooses CPUs so that few parts of the machine are touched and the fullest are filled first.
///
/// Whole sockets and NUMA nodes come first (sockets before nodes where a socket holds several
/// nodes, else nodes before sockets), then what the [Grain] says. Within a level the parts with the
/// fewest free CPUs come first and, among equals, those with the lowest number; lower levels are
/// sorted inside the order of the higher ones. This is the order of the kubelet's static policy,
/// `takeByTopologyNUMAPacked` of Kubernetes 1.36.
///
/// A socket or core counts as free only when it has as many CPUs as all parts of its level have on
/// average, as there; but here all its CPUs must be free too, where the kubelet would on a machine
/// with uneven sockets hand out CPUs that are in use.
final class PackedChoice {
  /// What is taken where no whole socket and node is.
  enum Grain {
    /// Whole caches and a part of one more, if that is enough; then as with [#CORES].
    CACHES,
    /// Whole cores, then single CPUs, those of cores first that are in use already.
    CORES,
    /// Single CPUs by their number, socket by socket.
    CPUS
  }

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
    return of(layout, free, needed, Grain.CORES);
  }

  /// As many of the free CPUs as are needed, which must be there.
  static CpuSet of(CpuLayout layout, CpuSet free, int needed, Grain grain) {
    var choice = new PackedChoice(layout, free, needed);
    choice.takeWhole(choice.nodesAboveSockets ? Level.NODE : Level.SOCKET);
    choice.takeWhole(choice.nodesAboveSockets ? Level.SOCKET : Level.NODE);
    switch (grain) {
      case CACHES -> {
        choice.takeFromCaches();
        choice.takeWhole(Level.CORE);
        choice.takeSingle(Level.CORE);
      }
      case CORES -> {
        choice.takeWhole(Level.CORE);
        choice.takeSingle(Level.CORE);
      }
      case CPUS -> choice.takeSingle(Level.SOCKET);
    }
    return choice.taken;
  }

  /// The NUMA nodes that have a free CPU, in the order in which they are used.
  static List<Integer> nodes(CpuLayout layout, CpuSet free) {
    return new PackedChoice(layout, free, 0).order(Level.NODE);
  }

  private void takeWhole(Level level) {
    if (needed == 0) return;
    SortedMap<Integer, CpuSet> parts = layout.parts(level);
    for (int part : order(level)) {
      CpuSet whole = parts.getOrDefault(part, CpuSet.EMPTY);
      if (hasUsualSize(level, whole) && needed >= whole.size() && free.containsAll(whole))
        take(whole);
    }
  }

  /// NUMA nodes and caches are compared with their own size, the others with the average.
  private boolean hasUsualSize(Level level, CpuSet whole) {
    return switch (level) {
      case NODE, CACHE -> true;
      case SOCKET, CORE -> whole.size() == layout.evenShare(level);
    };
  }

  private void takeFromCaches() {
    if (needed == 0) return;
    for (int cache : order(Level.CACHE)) {
      if (needed >= layout.evenShare(Level.CACHE)) takeWhole(Level.CACHE);
      if (needed > 0) takePart(cache);
      if (needed == 0) return;
    }
  }

  /// Takes all that is needed from one cache, if its first cores with a free CPU have just that: as
  /// many cores as would do if all their CPUs were free. Of an odd number on cores with several
  /// CPUs the last CPU is left.
  private void takePart(int cache) {
    int perCore = layout.evenShare(Level.CORE);
    CpuSet inCache = free.intersection(layout.parts(Level.CACHE).getOrDefault(cache, CpuSet.EMPTY));
    SortedSet<Integer> cores = new TreeSet<>();
    inCache.stream().forEach(cpu -> cores.add(layout.cpu(cpu).core()));
    CpuSet part = CpuSet.EMPTY;
    for (int core : cores.stream().limit((needed + perCore - 1) / perCore).toList())
      part = part.union(layout.parts(Level.CORE).getOrDefault(core, CpuSet.EMPTY));
    List<Integer> cpus = part.intersection(free).toList();
    if (needed % 2 != 0 && perCore > 1 && cpus.size() > needed)
      cpus = cpus.subList(0, cpus.size() - 1);
    if (cpus.size() == needed) take(CpuSet.of(cpus));
  }

  private void takeSingle(Level level) {
    if (needed == 0) return;
    for (int part : order(level)) {
      CpuSet inPart = layout.parts(level).getOrDefault(part, CpuSet.EMPTY).intersection(free);
      for (int cpu : inPart.toList()) {
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
    if (level == Level.CACHE) return within(order(Level.NODE), Level.NODE, Level.CACHE);
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
