package dev.patchbay.drivers.devicenode;

import dev.patchbay.drivers.Driver;
import dev.patchbay.drivers.DriverContract;
import dev.patchbay.drivers.HealthCheck;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.Group;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.IdScheme;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.NodeResource;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathSpec;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathType;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.UsbSpec;
import dev.patchbay.host.HostRoot;
import java.util.List;
import org.junit.jupiter.api.Nested;

/// Serial lines by link and by name, a camera with its control node and a file, two USB keys.
final class DeviceNodeContractTest {
  private static final String MACHINE =
      """
      # tree 1; composed: a workstation; kernel 6.8.0
      node  dev/ttyUSB0 c 188:0 0660
      node  dev/ttyUSB1 c 188:1 0660
      node  dev/ttyACM0 c 166:0 0660
      link  dev/serial/by-id/usb-one -> ../../ttyUSB0
      link  dev/serial/by-id/usb-two -> ../../ttyUSB1
      node  dev/fuse c 10:229 0666
      node  dev/video0 c 81:0 0660
      node  dev/media0 c 234:0 0660
      file  etc/camera.conf
      | bright
      node  dev/input/event0 c 13:64 0660
      link  sys/dev/char/188:0 -> ../../devices/pci0000:00/0000:00:14.0/usb1/1-1/ttyUSB0
      link  sys/dev/char/81:0 -> ../../devices/pci0000:80/0000:81:00.0/video4linux/video0
      dir   sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/ttyUSB0
      file  sys/devices/pci0000:00/0000:00:14.0/numa_node
      | 0
      file  sys/devices/pci0000:80/0000:81:00.0/numa_node
      | 1
      dir   sys/devices/pci0000:80/0000:81:00.0/video4linux/video0
      node  dev/bus/usb/003/022 c 189:277 0664
      node  dev/bus/usb/003/023 c 189:278 0664
      link  sys/bus/usb/devices/3-1 -> ../../../devices/pci0000:00/0000:00:14.0/usb3/3-1
      file  sys/devices/pci0000:00/0000:00:14.0/usb3/3-1/idVendor
      | 1050
      file  sys/devices/pci0000:00/0000:00:14.0/usb3/3-1/idProduct
      | 0407
      file  sys/devices/pci0000:00/0000:00:14.0/usb3/3-1/busnum
      | 3
      file  sys/devices/pci0000:00/0000:00:14.0/usb3/3-1/devnum
      | 22
      file  sys/devices/pci0000:00/0000:00:14.0/usb3/3-1/serial
      | 0012345678
      link  sys/bus/usb/devices/3-2 -> ../../../devices/pci0000:00/0000:00:14.0/usb3/3-2
      file  sys/devices/pci0000:00/0000:00:14.0/usb3/3-2/idVendor
      | 1050
      file  sys/devices/pci0000:00/0000:00:14.0/usb3/3-2/idProduct
      | 0407
      file  sys/devices/pci0000:00/0000:00:14.0/usb3/3-2/busnum
      | 3
      file  sys/devices/pci0000:00/0000:00:14.0/usb3/3-2/devnum
      | 23
      """;

  private static DeviceNodeConfig config(IdScheme scheme) {
    return new DeviceNodeConfig(
        "vendor.example",
        scheme,
        List.of(
            new NodeResource(
                "serial",
                List.of(
                    paths(1, PathSpec.of("/dev/serial/by-id/*")),
                    paths(1, PathSpec.of("/dev/ttyACM[0-9]")))),
            new NodeResource("fuse", List.of(paths(12, PathSpec.of("/dev/fuse")))),
            new NodeResource(
                "camera",
                List.of(
                    paths(
                        1,
                        PathSpec.of("/dev/video*"),
                        PathSpec.of("/dev/media*"),
                        new PathSpec(
                            "/etc/camera.conf", "", PathType.MOUNT, "rw", true, 1, true)))),
            new NodeResource(
                "key",
                List.of(
                    new Group(
                        1,
                        List.of(),
                        List.of(new UsbSpec(0x1050, 0x0407, "")),
                        HealthCheck.EXISTS)))));
  }

  private static Group paths(int count, PathSpec... paths) {
    return new Group(count, List.of(paths), List.of(), HealthCheck.EXISTS);
  }

  @Nested
  final class WithStableIds extends DriverContract {
    @Override
    protected Driver driver(HostRoot host) {
      return new DeviceNodeDriver(host, config(IdScheme.STABLE));
    }

    @Override
    protected String machine() {
      return MACHINE;
    }
  }

  @Nested
  final class WithCompatIds extends DriverContract {
    @Override
    protected Driver driver(HostRoot host) {
      return new DeviceNodeDriver(host, config(IdScheme.COMPAT));
    }

    @Override
    protected String machine() {
      return MACHINE;
    }
  }
}
