package dev.patchbay.kubelet;

/// What becomes of a pod that asks for an extended resource that no plugin ever listed here.
public enum UnknownResources {
  /// It is refused: no scheduler stands before the node, so nobody else would notice.
  REFUSE,
  /// It is let through, as upstream does: a scheduler has counted a resource of the whole cluster.
  IGNORE
}
