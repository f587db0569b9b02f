package dev.patchbay.kubelet;

import dev.patchbay.model.DeviceId;
import java.util.Set;

/// A plugin's answer to what it would give.
///
/// @param mustInclude what it was told that the container gets in any case
/// @param preferred what it would give; anything
record Preference(Set<DeviceId> mustInclude, Set<DeviceId> preferred) {
  /// Of a plugin that is not asked.
  static final Preference NONE = new Preference(Set.of(), Set.of());
}
