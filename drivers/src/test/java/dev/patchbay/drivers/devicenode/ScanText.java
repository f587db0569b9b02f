package dev.patchbay.drivers.devicenode;

import dev.patchbay.drivers.OfferedDevice;
import dev.patchbay.drivers.Scan;
import dev.patchbay.host.HostRoot;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.Health;
import java.util.ArrayList;
import java.util.List;

/// A scan as lines, so that a test shows what an operator would see.
///
/// ```
/// serial ttyUSB0 numa 0: /dev/ttyUSB0 mrw
/// camera video0: /dev/video0 mrw, mount /etc/camera.conf at /etc/cam.conf ro
/// serial ttyUSB1 is unhealthy: node /dev/ttyUSB1 is gone
/// ```
final class ScanText {
  private ScanText() {}

  static Scan scan(String machine, DeviceNodeConfig config) {
    return new DeviceNodeDriver(HostRoot.ofArchive("machine", machine), config).scan();
  }

  /// A line for each device, resources in the order of the scan.
  static List<String> devices(Scan scan) {
    List<String> lines = new ArrayList<>();
    scan.resources()
        .forEach((name, devices) ->
            devices.forEach(device -> lines.add(name.name() + " " + line(device))));
    return lines;
  }

  static List<String> devices(String machine, DeviceNodeConfig config) {
    return devices(scan(machine, config));
  }

  /// `path: why`.
  static List<String> notOffered(Scan scan) {
    return scan.notOffered().stream().map(each -> each.path() + ": " + each.why()).toList();
  }

  /// `path: why`.
  static List<String> problems(Scan scan) {
    return scan.problems().stream().map(each -> each.path() + ": " + each.why()).toList();
  }

  private static String line(OfferedDevice offered) {
    Device device = offered.device();
    return switch (device.health()) {
      case Health.Healthy _ -> device.id() + numa(device) + ": " + edits(offered.edits());
      case Health.Unhealthy unhealthy -> device.id() + " is unhealthy: " + unhealthy.reason();
    };
  }

  private static String numa(Device device) {
    List<String> nodes = device.numaNodes().stream().map(String::valueOf).toList();
    return nodes.isEmpty() ? "" : " numa " + String.join(",", nodes);
  }

  static String edits(ContainerEdits edits) {
    List<String> parts = new ArrayList<>();
    for (ContainerEdits.DeviceNode node : edits.deviceNodes())
      parts.add(place(node.hostPath(), node.containerPath()) + " " + node.permissions());
    for (ContainerEdits.Mount mount : edits.mounts())
      parts.add(
          "mount "
              + place(mount.hostPath(), mount.containerPath())
              + (mount.readOnly() ? " ro" : " rw"));
    return String.join(", ", parts);
  }

  private static String place(String hostPath, String containerPath) {
    return hostPath.equals(containerPath) ? hostPath : hostPath + " at " + containerPath;
  }
}
