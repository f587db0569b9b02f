package dev.patchbay.kubelet.topology;

/// What the topology manager makes of all hints for a container, or a pod.
///
/// @param hint where the resources should lie; without a mask when it does not matter
/// @param admitted whether the policy allows that
public record Merged(TopologyHint hint, boolean admitted) {
  /// The reason in the status of a pod that is not admitted.
  public static final String REFUSAL_REASON = "TopologyAffinityError";

  /// The message in the status of a pod that is not admitted.
  public static final String REFUSAL_MESSAGE =
      "Resources cannot be allocated with Topology locality";
}
