package dev.patchbay.sdk;

import dev.patchbay.model.DeviceId;
import java.util.List;
import java.util.Set;

/// Ability of a [DevicePlugin]: it has an opinion about which devices go well together.
public interface PreferredAllocation {
  /// Chooses among the available devices.
  ///
  /// @param available what can be given, sorted by id
  /// @param mustInclude a subset of `available` that has to be in the answer
  /// @param size how many to choose, those in `mustInclude` among them
  /// @return at most `size` of the available ones; the kubelet fills up what is missing
  List<DeviceId> prefer(List<DeviceId> available, Set<DeviceId> mustInclude, int size)
      throws Exception;
}
