package dev.patchbay.kubelet.pods;

import java.util.List;
import java.util.Optional;

/// A claim of dynamic resources as it was allocated for a pod. This kubelet prepares none; it shows
/// those that it is told of.
///
/// @param podClaim its name within the pod, of `spec.resourceClaims`
/// @param claim name of the ResourceClaim object, in the pod's namespace
public record DraClaim(String podClaim, String claim, List<AllocatedDevice> devices) {
  public DraClaim {
    devices = List.copyOf(devices);
  }

  /// One device of a claim.
  ///
  /// @param request which of the claim's requests it was allocated for
  /// @param shareId of a device that several claims share; empty otherwise
  /// @param cdiDevices fully qualified names
  public record AllocatedDevice(
      String request,
      String driver,
      String pool,
      String device,
      String shareId,
      List<String> cdiDevices) {
    public AllocatedDevice {
      cdiDevices = List.copyOf(cdiDevices);
    }
  }

  /// A container's use of a claim.
  ///
  /// @param request the one request of the claim that it uses; empty for all
  public record Use(String podClaim, Optional<String> request) {}
}
