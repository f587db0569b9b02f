package dev.patchbay.kubelet.registration;

import java.util.Arrays;
import java.util.Optional;

/// A version of the device plugin API, by the name that a plugin registers with. Each has its own
/// calls and messages.
public enum PluginApi {
  /// Kubernetes 1.10 and later.
  V1BETA1("v1beta1"),
  /// Kubernetes 1.9: no options, no topology, one container per Allocate.
  V1ALPHA2("v1alpha2"),
  /// Kubernetes 1.8: the same, and the answer to Allocate is a list.
  V0_1("0.1");

  private final String version;

  PluginApi(String version) {
    this.version = version;
  }

  /// As in a registration.
  public String version() {
    return version;
  }

  /// Whether it is older than [#V1BETA1]; its registrations go to another gRPC service.
  public boolean isAlpha() {
    return this != V1BETA1;
  }

  static Optional<PluginApi> of(String version) {
    return Arrays.stream(values()).filter(each -> each.version.equals(version)).findFirst();
  }
}
