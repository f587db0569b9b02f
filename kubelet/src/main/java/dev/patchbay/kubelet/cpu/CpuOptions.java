package dev.patchbay.kubelet.cpu;

import dev.patchbay.kubelet.cpu.CpuLayout.Level;
import dev.patchbay.kubelet.topology.BooleanOption;
import dev.patchbay.kubelet.topology.NumaMachine;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// Options of the static policy that are on, `cpuManagerPolicyOptions` of the kubelet.
///
/// @param on those that do not exclude each other
public record CpuOptions(Set<CpuOption> on) {
  private static final List<List<CpuOption>> EXCLUSIVE =
      List.of(
          List.of(CpuOption.WHOLE_CORES, CpuOption.MANY_CORES),
          List.of(CpuOption.EVEN_NODES, CpuOption.MANY_CORES),
          List.of(CpuOption.ONE_CACHE, CpuOption.MANY_CORES),
          List.of(CpuOption.ONE_CACHE, CpuOption.EVEN_NODES));
  private static final String ONE_NODE_POLICY = "single-numa-node";

  /// None of them.
  public static final CpuOptions NONE = new CpuOptions(Set.of());

  /// These options.
  ///
  /// @throws IllegalArgumentException when two of them exclude each other; the text is the
  ///   kubelet's
  public CpuOptions {
    Set<CpuOption> copy = EnumSet.noneOf(CpuOption.class);
    copy.addAll(on);
    on = Collections.unmodifiableSet(copy);
    for (List<CpuOption> pair : EXCLUSIVE)
      if (copy.containsAll(pair))
        throw new IllegalArgumentException(
            "static policy options %s and %s can not be used at the same time"
                .formatted(pair.getFirst(), pair.getLast()));
  }

  /// These options.
  ///
  /// @throws IllegalArgumentException when two of them exclude each other
  public static CpuOptions of(CpuOption... on) {
    return new CpuOptions(Set.copyOf(Arrays.asList(on)));
  }

  /// The options of this configuration.
  ///
  /// @param closed options that may not be named, since the feature gate of their level is off
  /// @throws IllegalArgumentException when one is unknown or may not be named or has no such value,
  ///   the first by name, or when two exclude each other; the text is the kubelet's
  public static CpuOptions of(
      SortedMap<String, String> options, Map<CpuOption, CpuOption.Level> closed) {
    Set<CpuOption> on = EnumSet.noneOf(CpuOption.class);
    options.forEach((name, value) -> {
      CpuOption option =
          CpuOption.of(name)
              .orElseThrow(() ->
                  new IllegalArgumentException(
                      "unknown CPU Manager Policy option: \"" + name + "\""));
      refuse(option, closed);
      if (BooleanOption.parse(name, value)) on.add(option);
    });
    return new CpuOptions(on);
  }

  private static void refuse(CpuOption option, Map<CpuOption, CpuOption.Level> closed) {
    CpuOption.Level level = closed.get(option);
    if (level != null)
      throw new IllegalArgumentException(
          "CPU Manager Policy %s-level Options not enabled, but option \"%s\" provided"
              .formatted(level, option));
  }

  /// Whether this one is on.
  public boolean has(CpuOption option) {
    return on.contains(option);
  }

  /// Those that are on, as the configuration has them.
  public SortedMap<String, String> named() {
    SortedMap<String, String> named = new TreeMap<>();
    on.forEach(option -> named.put(option.toString(), "true"));
    return named;
  }

  /// Sees whether they may be used.
  ///
  /// @param closed options that may not be, since the feature gate of their level is off
  /// @param topologyPolicy policy of the topology manager
  /// @throws IllegalArgumentException when they may not; the text is the kubelet's
  public void check(
      Map<CpuOption, CpuOption.Level> closed, NumaMachine machine, String topologyPolicy) {
    on.forEach(option -> refuse(option, closed));
    if (!has(CpuOption.SOCKETS)) return;
    if (topologyPolicy.equals(ONE_NODE_POLICY))
      throw new IllegalArgumentException(
          "Topolgy manager %s policy is incompatible with CPUManager %s policy option"
              .formatted(ONE_NODE_POLICY, CpuOption.SOCKETS));
    CpuLayout layout = CpuLayout.of(machine);
    if (layout.parts(Level.SOCKET).size() > layout.parts(Level.NODE).size())
      throw new IllegalArgumentException(
          "Align by socket is not compatible with hardware where number of sockets are more than"
              + " number of NUMA");
  }
}
