package dev.patchbay.drivers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.drivers.devicenode.DeviceNodeConfig;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.Group;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.IdScheme;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.NodeResource;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathSpec;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.UsbSpec;
import dev.patchbay.drivers.devicenode.DeviceNodeDriver;
import dev.patchbay.drivers.kubevirt.KubevirtConfig;
import dev.patchbay.drivers.kubevirt.KubevirtConfig.Preset;
import dev.patchbay.drivers.kubevirt.KubevirtDriver;
import dev.patchbay.host.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What each driver makes of each machine in `machines/`: devices, problems, and the edits of every
/// device. `make golden` rewrites the files; the difference is read in review.
final class DriverGoldenTest {
  private static final Path RESOURCES = Path.of("src/test/resources");
  private static final DeviceNodeConfig NODES =
      new DeviceNodeConfig(
          "vendor.example",
          IdScheme.STABLE,
          List.of(
              resource("serial", paths("/dev/ttyUSB*"), paths("/dev/ttyACM*")),
              resource("camera", paths("/dev/video*", "/dev/media*")),
              resource("hwrng", paths("/dev/hwrng")),
              resource(
                  "key",
                  new Group(
                      1,
                      List.of(),
                      List.of(new UsbSpec(0x1050, 0x0407, "")),
                      HealthCheck.EXISTS))));

  private static NodeResource resource(String name, Group... groups) {
    return new NodeResource(name, List.of(groups));
  }

  private static Group paths(String... paths) {
    return new Group(1, Stream.of(paths).map(PathSpec::of).toList(), List.of(), HealthCheck.EXISTS);
  }

  private static List<Driver> driversOf(HostRoot host) {
    return List.of(
        new DeviceNodeDriver(host, NODES),
        new KubevirtDriver(
            host, new KubevirtConfig(2, EnumSet.allOf(Preset.class), HealthCheck.OPEN)));
  }

  static List<Path> machines() throws IOException {
    try (Stream<Path> files = Files.list(RESOURCES.resolve("machines"))) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("machines")
  void findsOnAMachineWhatItsGoldenSays(Path machine) throws Exception {
    String name = machine.getFileName().toString().replace(".tree", "");
    for (Driver driver : driversOf(HostRoot.of(machine)))
      check(
          RESOURCES.resolve("golden").resolve(driver.name()).resolve(name + ".txt"), text(driver));
  }

  private static void check(Path golden, String text) throws IOException {
    if ("true".equals(System.getProperty("golden.update"))) {
      Files.createDirectories(golden.resolveSibling("."));
      Files.writeString(golden, text);
    }
    assertThat(text).as(golden.toString()).isEqualTo(Files.readString(golden));
  }

  private static String text(Driver driver) throws Exception {
    Scan scan = driver.scan();
    var text = new StringBuilder();
    for (var resource : scan.resources().entrySet()) {
      text.append(resource.getKey()).append('\n');
      for (OfferedDevice device : resource.getValue()) {
        text.append("  %s %s".formatted(device.device().id(), device.device().health()));
        if (!device.device().numaNodes().isEmpty())
          text.append(", NUMA node ").append(device.device().numaNodes());
        text.append('\n');
        for (var node : driver.edits(resource.getKey(), List.of(device)).deviceNodes())
          text.append(
              "    %s -> %s %s\n"
                  .formatted(node.hostPath(), node.containerPath(), node.permissions()));
      }
    }
    scan.notOffered()
        .forEach(it -> text.append("not offered %s: %s\n".formatted(it.path(), it.why())));
    scan.problems().forEach(it -> text.append("problem %s: %s\n".formatted(it.path(), it.why())));
    return text.toString();
  }
}
