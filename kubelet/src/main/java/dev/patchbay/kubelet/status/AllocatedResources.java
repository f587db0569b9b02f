package dev.patchbay.kubelet.status;

import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.BiFunction;

/// The health of what was allocated to a container, `allocatedResourcesStatus` of its status.
public final class AllocatedResources {
  private AllocatedResources() {}

  /// One device.
  ///
  /// @param healthy as it was listed last. A device that is not listed any more is healthy, and one
  ///   whose plugin went away is what it was: upstream never says Unknown of a plugin's device
  public record ResourceHealth(DeviceId id, boolean healthy) {
    /// As in `health`.
    public String word() {
      return healthy ? "Healthy" : "Unhealthy";
    }
  }

  /// The rows of one container, each with its devices by id.
  ///
  /// @param held what the container holds
  /// @param listed a device as it was listed last, if it was
  public static SortedMap<ResourceName, List<ResourceHealth>> of(
      SortedMap<ResourceName, SortedSet<DeviceId>> held,
      BiFunction<ResourceName, DeviceId, Optional<Device>> listed) {
    SortedMap<ResourceName, List<ResourceHealth>> rows = new TreeMap<>();
    held.forEach((name, ids) ->
        rows.put(
            name,
            ids.stream()
                .map(id -> new ResourceHealth(id, isHealthy(listed.apply(name, id))))
                .toList()));
    return rows;
  }

  private static boolean isHealthy(Optional<Device> device) {
    return device.map(it -> it.health().isHealthy()).orElse(true);
  }
}
