package dev.patchbay.sdk;

import dev.patchbay.model.DeviceId;
import java.util.List;

/// Ability of a [DevicePlugin]: it prepares devices right before each start of the container that
/// holds them, for instance by resetting them. The kubelet waits at most 30 s.
public interface PreStart {
  /// Prepares the devices.
  ///
  /// @throws Exception why the container cannot be started
  void preStart(List<DeviceId> devices) throws Exception;
}
