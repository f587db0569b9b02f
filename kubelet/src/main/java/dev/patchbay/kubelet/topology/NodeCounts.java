package dev.patchbay.kubelet.topology;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// How many devices lie on which NUMA nodes: all that hints depend on. Immutable, and small: an
/// entry for each set of nodes that devices have, not for each device.
///
/// @param devices how many devices, those without a node included
/// @param placed number of devices by their set of nodes; the empty set stands for devices that
///   have nodes alone that no mask can have
public record NodeCounts(int devices, SortedMap<NumaMask, Integer> placed) {
  /// No device.
  public static final NodeCounts NONE = new NodeCounts(0, new TreeMap<>());

  public NodeCounts {
    placed = Collections.unmodifiableSortedMap(new TreeMap<>(placed));
  }

  /// Counts these devices, of which each is given by the ids of its nodes.
  public static NodeCounts of(Iterable<? extends Collection<Integer>> nodesOfDevices) {
    var tally = new Tally();
    for (Collection<Integer> nodes : nodesOfDevices) tally.add(nodes);
    return tally.counts();
  }

  /// Without these devices, which must be among those counted.
  public NodeCounts minus(NodeCounts others) {
    if (others.devices == 0) return this;
    SortedMap<NumaMask, Integer> left = new TreeMap<>(placed);
    others.placed.forEach((mask, count) ->
        left.merge(mask, -count, (one, other) -> one + other == 0 ? null : one + other));
    return new NodeCounts(devices - others.devices, left);
  }

  /// With these devices as well.
  public NodeCounts plus(NodeCounts others) {
    if (others.devices == 0) return this;
    SortedMap<NumaMask, Integer> more = new TreeMap<>(placed);
    others.placed.forEach((mask, count) -> more.merge(mask, count, Integer::sum));
    return new NodeCounts(devices + others.devices, more);
  }

  /// Whether a device has a node: then the resource has preferences at all.
  public boolean isAligned() {
    return !placed.isEmpty();
  }

  /// The nodes that have a device.
  NumaMask nodes() {
    long bits = 0;
    for (NumaMask mask : placed.keySet()) bits |= mask.bits();
    return new NumaMask(bits);
  }

  /// How many devices have a node.
  int placedDevices() {
    return placed.values().stream().mapToInt(Integer::intValue).sum();
  }

  /// How many devices have a node in the mask.
  int touching(NumaMask mask) {
    int count = 0;
    for (Map.Entry<NumaMask, Integer> entry : placed.entrySet())
      if (entry.getKey().touches(mask)) count += entry.getValue();
    return count;
  }

  /// Counts devices one by one. Not thread-safe.
  public static final class Tally {
    private final int[] onOneNode = new int[NumaMask.MAX_NODES];
    private final SortedMap<NumaMask, Integer> onSeveral = new TreeMap<>();
    private int devices;

    /// Counts a device with these nodes.
    public void add(Collection<Integer> nodes) {
      devices++;
      if (nodes.isEmpty()) return;
      long bits = 0;
      for (int node : nodes) if (NumaMask.isId(node)) bits |= 1L << node;
      if (Long.bitCount(bits) == 1) onOneNode[Long.numberOfTrailingZeros(bits)]++;
      else onSeveral.merge(new NumaMask(bits), 1, Integer::sum);
    }

    /// What was counted until now.
    public NodeCounts counts() {
      SortedMap<NumaMask, Integer> placed = new TreeMap<>(onSeveral);
      for (int node = 0; node < onOneNode.length; node++)
        if (onOneNode[node] > 0) placed.put(NumaMask.of(node), onOneNode[node]);
      return new NodeCounts(devices, placed);
    }
  }
}
