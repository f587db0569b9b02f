package dev.patchbay.kubelet.topology;

/// Which kubelet's way of making hints for devices is meant. They differ on machines with NUMA
/// nodes that have no device of a resource.
public enum HintVariant {
  /// Up to 1.35: sets of all nodes of the machine are tried.
  V1_34,

  /// From 1.36 on: sets of those nodes alone that have a device of the resource.
  V1_36
}
