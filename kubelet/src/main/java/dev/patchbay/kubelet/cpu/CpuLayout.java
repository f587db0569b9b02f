package dev.patchbay.kubelet.cpu;

import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.NumaMask;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// Where each CPU of the machine sits. A core's number is that of its lowest CPU, so that it is
/// unique in the machine, which the kernel's own core numbers are not.
final class CpuLayout {
  /// One logical CPU.
  record Cpu(int number, int core, int cache, int socket, int node) {}

  private final SortedMap<Integer, Cpu> cpus = new TreeMap<>();
  private final CpuSet all;
  private final SortedMap<Integer, CpuSet> cores;
  private final SortedMap<Integer, CpuSet> caches;
  private final SortedMap<Integer, CpuSet> sockets;
  private final SortedMap<Integer, CpuSet> nodes;

  /// The layout of these CPUs.
  ///
  /// @throws IllegalArgumentException when a CPU is named twice
  CpuLayout(List<Cpu> cpus) {
    for (Cpu cpu : cpus)
      if (this.cpus.put(cpu.number(), cpu) != null)
        throw new IllegalArgumentException("CPU " + cpu.number() + " is on two cores");
    this.all = CpuSet.of(this.cpus.keySet());
    this.cores = grouped(Level.CORE);
    this.caches = grouped(Level.CACHE);
    this.sockets = grouped(Level.SOCKET);
    this.nodes = grouped(Level.NODE);
  }

  /// The layout of a machine.
  static CpuLayout of(NumaMachine machine) {
    List<Cpu> cpus = new ArrayList<>();
    for (NumaMachine.Node node : machine.nodes())
      for (NumaMachine.Core core : node.cores())
        for (int thread : core.threads())
          cpus.add(
              new Cpu(
                  thread, Collections.min(core.threads()), core.cache(), core.socket(), node.id()));
    return new CpuLayout(cpus);
  }

  /// A part of the machine that holds CPUs.
  enum Level {
    CORE,
    /// CPUs that share a last-level cache.
    CACHE,
    SOCKET,
    NODE;

    int of(Cpu cpu) {
      return switch (this) {
        case CORE -> cpu.core();
        case CACHE -> cpu.cache();
        case SOCKET -> cpu.socket();
        case NODE -> cpu.node();
      };
    }
  }

  private SortedMap<Integer, CpuSet> grouped(Level level) {
    SortedMap<Integer, List<Integer>> groups = new TreeMap<>();
    cpus.values()
        .forEach(
            cpu -> groups.computeIfAbsent(level.of(cpu), _ -> new ArrayList<>()).add(cpu.number()));
    SortedMap<Integer, CpuSet> sets = new TreeMap<>();
    groups.forEach((number, members) -> sets.put(number, CpuSet.of(members)));
    return sets;
  }

  CpuSet all() {
    return all;
  }

  /// The CPU with this number, which must exist.
  Cpu cpu(int number) {
    Cpu cpu = cpus.get(number);
    if (cpu == null)
      throw new IllegalArgumentException(
          "CPU " + number + " is not of this machine, which has " + all);
    return cpu;
  }

  /// The parts of one level with their CPUs, by number.
  SortedMap<Integer, CpuSet> parts(Level level) {
    return switch (level) {
      case CORE -> cores;
      case CACHE -> caches;
      case SOCKET -> sockets;
      case NODE -> nodes;
    };
  }

  /// CPUs of a part of the machine when all parts of its level were equal: what the kubelet
  /// compares with when it looks for a core or socket that is wholly free.
  int evenShare(Level level) {
    int parts = parts(level).size();
    return parts == 0 ? 0 : all.size() / parts;
  }

  /// All CPUs of those parts of a level of which one of these CPUs is.
  CpuSet around(CpuSet some, Level level) {
    CpuSet around = CpuSet.EMPTY;
    for (CpuSet part : parts(level).values())
      if (!part.intersection(some).isEmpty()) around = around.union(part);
    return around;
  }

  /// The CPUs of these NUMA nodes.
  CpuSet on(NumaMask mask) {
    CpuSet on = CpuSet.EMPTY;
    for (var node : nodes.entrySet())
      if (mask.contains(node.getKey())) on = on.union(node.getValue());
    return on;
  }

  /// The NUMA nodes that have CPUs, ascending; those without that a mask cannot have.
  int[] nodeNumbers() {
    return nodes.keySet().stream().filter(NumaMask::isId).mapToInt(Integer::intValue).toArray();
  }

  /// How many of the CPUs each NUMA node has, in the order of [#nodeNumbers()].
  int[] perNode(CpuSet some) {
    return Arrays.stream(nodeNumbers())
        .map(node -> nodes.getOrDefault(node, CpuSet.EMPTY).intersection(some).size())
        .toArray();
  }
}
