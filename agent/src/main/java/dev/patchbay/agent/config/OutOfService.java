package dev.patchbay.agent.config;

import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.util.Optional;

/// An entry of the config section `out-of-service`: devices that an operator takes away from the
/// kubelet without taking them out of the list.
///
/// @param resource the resource that offers them
/// @param device one device, or all of the resource
/// @param reason for a person; it stands behind `out of service: ` wherever health is shown
public record OutOfService(ResourceName resource, Optional<DeviceId> device, String reason) {
  /// Whether this device is meant.
  public boolean concerns(ResourceName name, DeviceId id) {
    return resource.equals(name) && (device.isEmpty() || device.get().equals(id));
  }
}
