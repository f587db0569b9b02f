package dev.patchbay.kubelet.topology;

/// Which kubelet's way of making hints for devices is meant. They differ on machines with NUMA
/// nodes that have no device of a resource.
public enum HintVariant {
  /// To 1.35.5 and 1.36.1: sets of all nodes of the machine are tried. The option
  /// `max-allowable-numa-nodes` is beta.
  V1_34,

  /// Newer ones: sets of those nodes alone that have a device of the resource.
  V1_36
}
