package dev.patchbay.drivers.devicenode;

import dev.patchbay.drivers.OfferedDevice;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.IdScheme;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.Health;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;

/// What one device of a group consists of; it is offered as often as the group's count says.
///
/// @param names readable names of its parts, in order
/// @param paths host paths of its parts, in order
/// @param exclusiveNodes host paths of the nodes that no other device is meant to have
record Unit(
    List<String> names,
    List<String> paths,
    Health health,
    SortedSet<Integer> numaNodes,
    ContainerEdits edits,
    Set<String> exclusiveNodes) {
  Unit {
    names = List.copyOf(names);
    paths = List.copyOf(paths);
    exclusiveNodes = Set.copyOf(exclusiveNodes);
  }

  /// One copy of it, counted from 0.
  OfferedDevice copy(IdScheme scheme, int copy, int copies) {
    var id = DeviceIds.of(scheme, names, paths, copy, copies);
    return new OfferedDevice(new Device(id, health, numaNodes), paths, edits);
  }

  @Override
  public String toString() {
    return String.join(", ", paths);
  }
}
