package dev.patchbay.kubelet.memory;

/// Whether memory is bound to NUMA nodes: the kubelet's `memoryManagerPolicy`.
public enum MemoryPolicy {
  /// No container's memory is.
  NONE,
  /// That of Guaranteed pods is.
  STATIC;

  /// As in the kubelet's configuration and state file: `None`, `Static`.
  @Override
  public String toString() {
    return switch (this) {
      case NONE -> "None";
      case STATIC -> "Static";
    };
  }
}
