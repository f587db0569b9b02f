package dev.patchbay.kubelet;

/// A pod's phase as `status.phase` has it, as far as it matters here.
public enum PodPhase {
  /// It has not been decided about, or it runs.
  ACTIVE,
  SUCCEEDED,
  /// Also that of a pod that was refused.
  FAILED;

  /// Whether the pod will never run again.
  public boolean isTerminal() {
    return this != ACTIVE;
  }
}
