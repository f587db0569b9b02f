package dev.patchbay.kubelet.cpu;

/// Whether containers may own CPUs: the kubelet's `cpuManagerPolicy`.
public enum CpuPolicy {
  /// No container owns any.
  NONE,
  /// Containers of Guaranteed pods that ask for whole CPUs own them.
  STATIC;

  /// As in the kubelet's configuration and state file: `none`, `static`.
  @Override
  public String toString() {
    return switch (this) {
      case NONE -> "none";
      case STATIC -> "static";
    };
  }
}
