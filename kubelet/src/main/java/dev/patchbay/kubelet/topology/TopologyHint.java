package dev.patchbay.kubelet.topology;

import java.util.Optional;

/// On which NUMA nodes resources could lie.
///
/// @param mask the nodes; empty when any will do
/// @param preferred whether fewer nodes could not hold the resources, even if nothing were taken
public record TopologyHint(Optional<NumaMask> mask, boolean preferred) {
  /// Any node will do: what counts for a resource without a preference.
  public static final TopologyHint ANY = new TopologyHint(Optional.empty(), true);

  /// No node will do: what counts for a resource without a possible place. It has no mask either.
  public static final TopologyHint NONE = new TopologyHint(Optional.empty(), false);

  /// A hint with preferred nodes.
  public static TopologyHint preferred(NumaMask mask) {
    return new TopologyHint(Optional.of(mask), true);
  }

  /// A hint with nodes that are not the best.
  public static TopologyHint possible(NumaMask mask) {
    return new TopologyHint(Optional.of(mask), false);
  }
}
