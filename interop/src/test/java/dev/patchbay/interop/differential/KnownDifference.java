package dev.patchbay.interop.differential;

/// Where the two kubelets may differ, and what is compared instead. Each is a row of
/// docs/reference/differences.md.
enum KnownDifference {
  /// A real kubelet would have ended there. The sequence is not played further.
  UPSTREAM_CRASHES,

  /// Upstream takes any of the devices that are equally good, and of those that init containers
  /// left. How many are on the container's NUMA nodes is compared, or of the latter how many; then
  /// the pod is deleted on both sides, so that they are equal again.
  ARBITRARY_CHOICE,

  /// Upstream asks for a container's resources in any order, so which of them is named when several
  /// cannot be had is arbitrary. The reason is compared, and the text without what the resource
  /// decides.
  ARBITRARY_ORDER_OF_RESOURCES,

  /// Upstream has asked plugins for a pod's first containers when it finds that a later one cannot
  /// have its devices. Calls for a refused pod that asks more than once are not compared.
  PLUGINS_ARE_ASKED_FOR_REFUSED_PODS,

  /// A pod whose plugin fails, or refuses Allocate, and whose CPUs or memory cannot be had either:
  /// upstream asks plugins first and names them. That both refuse it is compared; the sequence is
  /// not played further.
  PLUGINS_FAIL_BEFORE_CPUS_AND_MEMORY_DO,

  /// Upstream's checkpoint keeps what ended pods held until something else is written. The entries
  /// of pods that have not ended are compared.
  ENDED_PODS_STAY_IN_THE_CHECKPOINT,

  /// Upstream counts the devices of pods that had ended before a restart as allocated until pods'
  /// sources are ready. Where the checkpoint holds such, sources are ready at once.
  ENDED_PODS_HOLD_DEVICES_AFTER_A_RESTART,

  /// Upstream keeps what a pod held, or got before it was refused, after a restart as long as pods'
  /// sources are not ready. The sequence is not played further.
  REFUSED_PODS_HOLD_DEVICES,

  /// Upstream takes nothing back when it refuses a pod: PodResources shows what its first
  /// containers got until something else is admitted, where List has pods that are not active. The
  /// containers of refused pods are not compared.
  REFUSED_PODS_ARE_LISTED_WITH_WHAT_THEY_GOT,

  /// Upstream remembers the devices of a resource that was removed after its grace period, for
  /// hints alone, where a container still holds one; and the resource itself where a pod has asked
  /// for it. The sequence is not played further.
  REMOVED_RESOURCES_ARE_REMEMBERED,

  /// A plugin has registered over one that still streams; at the end of either, upstream ends the
  /// resource's endpoint, whichever that is. The sequence is not played further.
  AN_OLDER_PLUGIN_ENDS_THE_NEWER,

  /// Upstream keeps devices marked as allocated for a pod that was refused since
  /// GetPreferredAllocation failed. That it was refused is compared; the sequence is not played
  /// further.
  FAILED_PREFERENCES_KEEP_DEVICES,

  /// With `strict-cpu-reservation` containers can own all CPUs that are not reserved; upstream then
  /// refuses its own file when it starts. The sequence is not played further.
  UPSTREAM_DOES_NOT_START_WITHOUT_A_SHARED_CPU,

  /// Upstream prints the address of an object. The text before and after it is compared.
  ADDRESSES_IN_TEXTS,
}
