package dev.patchbay.interop.differential;

/// Where the two kubelets may differ, and what is compared instead. Each is a row of
/// docs/reference/differences.md.
enum KnownDifference {
  /// A real kubelet would have ended there. The sequence is not played further.
  UPSTREAM_CRASHES,

  /// Upstream takes any of the devices that are equally good. How many are on the container's NUMA
  /// nodes is compared; then the pod is deleted on both sides, so that they are equal again.
  ARBITRARY_CHOICE,

  /// Upstream asks for a container's resources in any order, so which of them is named when several
  /// cannot be had is arbitrary. The reason is compared, and the text without what the resource
  /// decides; no later calls of plugins are compared.
  ARBITRARY_ORDER_OF_RESOURCES,

  /// Upstream's checkpoint keeps what ended pods held until something else is written. The entries
  /// of pods that have not ended are compared.
  ENDED_PODS_STAY_IN_THE_CHECKPOINT,

  /// Upstream counts the devices of pods that had ended before a restart as allocated until pods'
  /// sources are ready. Where the checkpoint holds such, sources are ready at once.
  ENDED_PODS_HOLD_DEVICES_AFTER_A_RESTART,

  /// Upstream prints the address of an object. The text before and after it is compared.
  ADDRESSES_IN_TEXTS,
}
