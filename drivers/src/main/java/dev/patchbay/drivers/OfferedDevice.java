package dev.patchbay.drivers;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import java.util.List;

/// A device that a scan found and that a resource offers.
///
/// @param device as advertised
/// @param paths the host paths that it consists of, as a person knows them: `/dev/ttyUSB0`
/// @param edits what a container needs to use this device alone
public record OfferedDevice(Device device, List<String> paths, ContainerEdits edits) {
  public OfferedDevice {
    paths = List.copyOf(paths);
  }
}
