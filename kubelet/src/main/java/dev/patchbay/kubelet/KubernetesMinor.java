package dev.patchbay.kubelet;

/// Which minor version of Kubernetes is followed where they differ.
public enum KubernetesMinor {
  V1_34,
  V1_35,
  V1_36;

  /// Whether hints name only NUMA nodes on which the resource has devices.
  public boolean restrictsHintsToDeviceNodes() {
    return this == V1_36;
  }

  /// Whether a container runs when any of the runtime's containers of its name does, rather than
  /// the first that the runtime names.
  public boolean countsAnyContainerAsRunning() {
    return this != V1_34;
  }

  /// Whether the plugin watcher tries a registration again that has failed.
  public boolean retriesWatchedRegistration() {
    return this == V1_36;
  }

  /// Whether the end of a Register call ends the question for the plugin's options.
  public boolean cancelsOptionsWithRegister() {
    return this != V1_34;
  }
}
