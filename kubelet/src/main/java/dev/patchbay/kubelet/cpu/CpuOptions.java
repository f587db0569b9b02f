package dev.patchbay.kubelet.cpu;

import dev.patchbay.kubelet.topology.BooleanOption;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// Options of the static policy, `cpuManagerPolicyOptions` of the kubelet.
///
/// @param wholeCores `full-pcpus-only`: a container gets whole cores, or is refused
/// @param reservesStrictly `strict-cpu-reservation`: containers that own no CPUs do not run on the
///   reserved ones either
public record CpuOptions(boolean wholeCores, boolean reservesStrictly) {
  /// None of them.
  public static final CpuOptions NONE = new CpuOptions(false, false);

  private static final String WHOLE_CORES = "full-pcpus-only";
  private static final String STRICT = "strict-cpu-reservation";

  /// Options of the kubelet that are not followed.
  private static final Set<String> OTHERS =
      Set.of(
          "align-by-socket",
          "distribute-cpus-across-cores",
          "distribute-cpus-across-numa",
          "prefer-align-cpus-by-uncorecache");

  /// The options of this configuration.
  ///
  /// @throws IllegalArgumentException when one is unknown or not followed, or has no such value
  public static CpuOptions of(Map<String, String> options) {
    for (Map.Entry<String, String> each : options.entrySet()) {
      if (OTHERS.contains(each.getKey()) && BooleanOption.parse(each.getKey(), each.getValue()))
        throw new IllegalArgumentException(
            "%s is not followed by the embedded kubelet; followed are %s and %s"
                .formatted(each.getKey(), WHOLE_CORES, STRICT));
      if (!OTHERS.contains(each.getKey()) && !isFollowed(each.getKey()))
        throw new IllegalArgumentException(
            "unknown CPU Manager Policy option: \"" + each.getKey() + "\"");
    }
    return new CpuOptions(is(WHOLE_CORES, options), is(STRICT, options));
  }

  /// Those that are on, as the configuration has them.
  public SortedMap<String, String> named() {
    SortedMap<String, String> named = new TreeMap<>();
    if (wholeCores) named.put(WHOLE_CORES, "true");
    if (reservesStrictly) named.put(STRICT, "true");
    return named;
  }

  private static boolean isFollowed(String name) {
    return name.equals(WHOLE_CORES) || name.equals(STRICT);
  }

  private static boolean is(String name, Map<String, String> options) {
    return BooleanOption.parse(name, options.getOrDefault(name, "false"));
  }
}
