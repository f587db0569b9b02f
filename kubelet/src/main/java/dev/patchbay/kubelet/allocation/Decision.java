package dev.patchbay.kubelet.allocation;

import dev.patchbay.model.DeviceId;
import java.util.SortedSet;

/// The answer to one container's request for one resource.
public sealed interface Decision {
  /// These devices, all of them new to the container.
  record Grant(SortedSet<DeviceId> devices) implements Decision {}

  /// Nothing has to be given: the container keeps what it holds, or runs already.
  record Keep() implements Decision {}

  /// The plugin has an opinion: ask it, then decide again with its answer.
  ///
  /// @param available what can be given
  /// @param mustInclude what is given in any case
  /// @param size how many are needed in all
  record AskPlugin(SortedSet<DeviceId> available, SortedSet<DeviceId> mustInclude, int size)
      implements Decision {}

  /// The pod has to be refused.
  ///
  /// @param why the kubelet's own text
  record Refusal(String why) implements Decision {}
}
