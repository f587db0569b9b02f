package dev.patchbay.kubelet.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongToIntFunction;

/// Where devices of one resource could lie.
///
/// The kubelet looks at every device for every set of nodes. All that it takes from them is how
/// many touch the set: have a node in it. A device does not touch a set when its nodes lie in the
/// complement; so with `w[c]` devices whose nodes are exactly `c`, the number that touches `M` is
/// the sum of all `w[c]` less the sum over `c` in the complement of `M`. The latter sums are made
/// for all sets at once, one node after the other (a zeta transform): n * 2^n additions, however
/// many devices there are.
///
/// Of more than 16 nodes not all sets are tried; see [NumaSubsets]. To those come the sets that
/// grow by the node with the most devices that are not in it yet. If no device has two nodes, the
/// preferred size is the kubelet's all the same, and there is a preferred hint whenever the kubelet
/// had one. If some have two, a hint may be taken for preferred that fewer nodes could replace.
///
/// @param machine all nodes of the machine
public record DeviceHints(NumaMask machine, HintVariant variant) {
  /// Beyond this many looks at a count, fewer sets of more than 16 nodes are tried.
  private static final int MOST_LOOKS = 1 << 22;

  /// The hints for so many devices; empty when the resource has no preference, an empty list when
  /// it cannot be given.
  ///
  /// @param all every device of the resource, healthy or not
  /// @param held those that the container, or the pod, has already
  /// @param available healthy ones that nobody has
  /// @param reusable those that init containers of the same pod had; none for a whole pod
  public Optional<List<TopologyHint>> of(
      long wanted, NodeCounts all, NodeCounts held, NodeCounts available, NodeCounts reusable) {
    if (!all.isAligned()) return Optional.empty();
    if (held.devices() > 0)
      return Optional.of(
          held.devices() == wanted ? hints(wanted, all, held, NodeCounts.NONE) : List.of());
    if (available.devices() + reusable.devices() < wanted) return Optional.of(List.of());
    return Optional.of(hints(wanted, all, available, reusable));
  }

  private List<TopologyHint> hints(
      long wanted, NodeCounts all, NodeCounts available, NodeCounts reusable) {
    NumaMask nodes = nodesToTry(all);
    long[] sets = setsToTry(nodes, all, available, reusable);
    int narrowest = narrowest(wanted, all, nodes, sets);
    LongToIntFunction ofAvailable = touching(available, nodes);
    LongToIntFunction ofReusable = touching(reusable, nodes);
    int reused = reusable.placedDevices();
    List<TopologyHint> hints = new ArrayList<>();
    for (long set : sets) {
      if (reused > 0 && ofReusable.applyAsInt(set) < reused) continue;
      if (reused + ofAvailable.applyAsInt(set) < wanted) continue;
      hints.add(new TopologyHint(Optional.of(new NumaMask(set)), Long.bitCount(set) == narrowest));
    }
    return List.copyOf(hints);
  }

  private NumaMask nodesToTry(NodeCounts all) {
    NumaMask withDevices = all.nodes().and(machine);
    return variant == HintVariant.V1_34 || withDevices.isEmpty() ? machine : withDevices;
  }

  private static long[] setsToTry(
      NumaMask nodes, NodeCounts all, NodeCounts available, NodeCounts reusable) {
    int kinds = 1 + all.placed().size() + available.placed().size() + reusable.placed().size();
    long[] sets = NumaSubsets.bitsOf(nodes, MOST_LOOKS / kinds);
    return nodes.size() <= NumaSubsets.ALL_UP_TO
        ? sets
        : GrowingSets.between(sets, nodes, available, reusable);
  }

  /// The size of the narrowest set that could do if nothing were taken or broken.
  private static int narrowest(long wanted, NodeCounts all, NumaMask nodes, long[] sets) {
    long[] tried =
        nodes.size() <= NumaSubsets.ALL_UP_TO
            ? sets
            : GrowingSets.between(sets, nodes, all, NodeCounts.NONE);
    LongToIntFunction ofAll = touching(all, nodes);
    int narrowest = nodes.size();
    for (long set : tried)
      if (Long.bitCount(set) < narrowest && ofAll.applyAsInt(set) >= wanted)
        narrowest = Long.bitCount(set);
    return narrowest;
  }

  /// How many of the devices touch a set of these nodes.
  private static LongToIntFunction touching(NodeCounts counts, NumaMask nodes) {
    if (nodes.size() > NumaSubsets.ALL_UP_TO) return set -> counts.touching(new NumaMask(set));
    int full = (1 << nodes.size()) - 1;
    int[] within = new int[full + 1];
    counts
        .placed()
        .forEach((mask, count) -> {
          within[(int) Long.compress(mask.bits(), nodes.bits())] += count;
        });
    for (int node = 1; node <= full; node <<= 1)
      for (int set = 0; set <= full; set++)
        if ((set & node) != 0) within[set] += within[set ^ node];
    return set -> within[full] - within[full ^ (int) Long.compress(set, nodes.bits())];
  }
}
