package dev.patchbay.sdk;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import java.util.List;

/// What an author writes: the devices of one resource, and what a container needs to use some of
/// them. Two optional abilities are interfaces of their own that the same class may implement:
/// [PreferredAllocation] and [PreStart].
///
/// Methods are called from several threads at once.
public interface DevicePlugin {
  /// The devices and their changes; always the same object. Registration waits for its first list.
  DeviceFeed devices();

  /// What one container needs to use these devices. The SDK has checked that they are in the list
  /// last published, healthy, none twice, at least one.
  ///
  /// @param devices sorted by id
  /// @throws Exception why they cannot be given; the message reaches the pod's status
  ContainerEdits allocate(List<DeviceId> devices) throws Exception;
}
