package dev.patchbay.sdk;

import java.util.Optional;

/// A version of the device plugin API that kubelets speak. Which one a kubelet speaks it says by
/// how it answers Register: one of 1.8 or 1.9 does not know the service of `v1beta1`, and refuses
/// the version of the other.
enum KubeletApi {
  /// Kubernetes 1.10 and later.
  V1BETA1("v1beta1"),
  /// Kubernetes 1.9.
  V1ALPHA2("v1alpha2"),
  /// Kubernetes 1.8.
  V0_1("0.1");

  private final String version;

  KubeletApi(String version) {
    this.version = version;
  }

  /// As in a registration.
  String version() {
    return version;
  }

  /// What to try when a kubelet does not speak this one.
  Optional<KubeletApi> older() {
    return switch (this) {
      case V1BETA1 -> Optional.of(V1ALPHA2);
      case V1ALPHA2 -> Optional.of(V0_1);
      case V0_1 -> Optional.empty();
    };
  }
}
