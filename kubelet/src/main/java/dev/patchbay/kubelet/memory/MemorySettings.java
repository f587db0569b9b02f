package dev.patchbay.kubelet.memory;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// How memory is given out.
///
/// @param reserved bytes that no container gets: NUMA node, `memory` or `hugepages-<size>`, bytes;
///   `reservedMemory` of the kubelet. With the static policy some `memory` must be reserved
public record MemorySettings(
    MemoryPolicy policy, SortedMap<Integer, SortedMap<String, Long>> reserved) {
  /// No container's memory is bound.
  public static final MemorySettings NONE =
      new MemorySettings(MemoryPolicy.NONE, Collections.emptySortedMap());

  /// What the kubelet reserves when nothing is configured: the eviction threshold
  /// `memory.available<100Mi`, which `reservedMemory` then has to add up to.
  private static final long EVICTION_THRESHOLD_BYTES = 100L << 20;

  public MemorySettings {
    SortedMap<Integer, SortedMap<String, Long>> copy = new TreeMap<>();
    reserved.forEach(
        (node, types) -> copy.put(node, Collections.unmodifiableSortedMap(new TreeMap<>(types))));
    reserved = Collections.unmodifiableSortedMap(copy);
    long memory =
        reserved.values().stream().mapToLong(types -> types.getOrDefault("memory", 0L)).sum();
    if (policy == MemoryPolicy.STATIC && memory <= 0)
      throw new IllegalArgumentException(
          "[memorymanager] you should specify the system reserved memory");
  }

  /// The static policy with as little reserved as the kubelet allows without other settings: 100
  /// MiB, on this node.
  public static MemorySettings reservingOn(int node) {
    return new MemorySettings(
        MemoryPolicy.STATIC,
        new TreeMap<>(Map.of(node, new TreeMap<>(Map.of("memory", EVICTION_THRESHOLD_BYTES)))));
  }
}
