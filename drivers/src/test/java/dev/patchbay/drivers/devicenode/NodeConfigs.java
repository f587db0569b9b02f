package dev.patchbay.drivers.devicenode;

import dev.patchbay.drivers.HealthCheck;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.Group;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.IdScheme;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.NodeResource;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathSpec;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathType;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.UsbSpec;
import java.util.List;

/// Short words for configurations: `config(resource("serial", group(path("/dev/ttyUSB*"))))`.
final class NodeConfigs {
  private NodeConfigs() {}

  static DeviceNodeConfig config(NodeResource... resources) {
    return new DeviceNodeConfig("vendor.example", IdScheme.STABLE, List.of(resources));
  }

  static DeviceNodeConfig compat(NodeResource... resources) {
    return new DeviceNodeConfig("vendor.example", IdScheme.COMPAT, List.of(resources));
  }

  static NodeResource resource(String name, Group... groups) {
    return new NodeResource(name, List.of(groups));
  }

  static Group group(PathSpec... paths) {
    return times(1, paths);
  }

  static Group times(int count, PathSpec... paths) {
    return new Group(count, List.of(paths), List.of(), HealthCheck.EXISTS);
  }

  static Group opened(PathSpec... paths) {
    return new Group(1, List.of(paths), List.of(), HealthCheck.OPEN);
  }

  static Group usb(UsbSpec... selectors) {
    return new Group(1, List.of(), List.of(selectors), HealthCheck.EXISTS);
  }

  static PathSpec path(String path) {
    return PathSpec.of(path);
  }

  static PathSpec shared(String path, int limit) {
    return new PathSpec(path, "", PathType.DEVICE, "mrw", false, limit, false);
  }

  static PathSpec optional(String path) {
    return new PathSpec(path, "", PathType.DEVICE, "mrw", false, 1, true);
  }

  static PathSpec at(String path, String mountPath, String permissions) {
    return new PathSpec(path, mountPath, PathType.DEVICE, permissions, false, 1, false);
  }

  static PathSpec mount(String path, String mountPath) {
    return new PathSpec(path, mountPath, PathType.MOUNT, "mrw", false, 1, false);
  }

  static PathSpec readOnlyMount(String path) {
    return new PathSpec(path, "", PathType.MOUNT, "mrw", true, 1, false);
  }
}
