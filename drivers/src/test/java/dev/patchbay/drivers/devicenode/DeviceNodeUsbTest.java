package dev.patchbay.drivers.devicenode;

import static dev.patchbay.drivers.devicenode.NodeConfigs.compat;
import static dev.patchbay.drivers.devicenode.NodeConfigs.config;
import static dev.patchbay.drivers.devicenode.NodeConfigs.group;
import static dev.patchbay.drivers.devicenode.NodeConfigs.path;
import static dev.patchbay.drivers.devicenode.NodeConfigs.resource;
import static dev.patchbay.drivers.devicenode.NodeConfigs.usb;
import static dev.patchbay.drivers.devicenode.ScanText.devices;
import static dev.patchbay.drivers.devicenode.ScanText.notOffered;
import static dev.patchbay.drivers.devicenode.ScanText.problems;
import static dev.patchbay.drivers.devicenode.ScanText.scan;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.drivers.HealthCheck;
import dev.patchbay.drivers.Scan;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.Group;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.UsbSpec;
import dev.patchbay.host.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DeviceNodeUsbTest {
  private static final UsbSpec KEY = new UsbSpec(0x1050, 0x0407, "");
  private static final UsbSpec STORAGE = new UsbSpec(0x46f4, 0x0001, "");

  /// A root hub, two keys, a storage stick without a serial number, an interface of a key.
  private static final String MACHINE =
      "# tree 1; composed: some USB sticks\n"
          + stick("usb3", 0x1d6b, 0x0002, 3, 1, "0000:00:14.0")
          + stick("3-1", 0x1050, 0x0407, 3, 22, "0012345678")
          + stick("3-2", 0x1050, 0x0407, 3, 23, "0099999999")
          + stick("3-4.1", 0x46f4, 0x0001, 3, 11, "")
          + "file  sys/bus/usb/devices/3-1:1.0/bInterfaceNumber\n| 00\n";

  @TempDir private Path root = Path.of("/nonexistent");

  private static String stick(
      String port, int vendor, int product, int bus, int number, String serial) {
    String entry = "file  sys/bus/usb/devices/" + port;
    return "node  dev/bus/usb/%03d/%03d c 189:%d 0664\n"
            .formatted(bus, number, (bus - 1) * 128 + number - 1)
        + entry.concat("/idVendor\n| %04x\n".formatted(vendor))
        + entry.concat("/idProduct\n| %04x\n".formatted(product))
        + entry.concat("/busnum\n| %d\n".formatted(bus))
        + entry.concat("/devnum\n| %d\n".formatted(number))
        + (serial.isEmpty() ? "" : entry + "/serial\n| " + serial + "\n");
  }

  @Test
  void makesADeviceOfEachStickOfAKind() {
    assertThat(devices(MACHINE, config(resource("key", usb(KEY)))))
        .containsExactly(
            "key usb-1050-0407-0012345678: /dev/bus/usb/003/022 rw",
            "key usb-1050-0407-0099999999: /dev/bus/usb/003/023 rw");
  }

  @Test
  void tellsSticksOfAKindApartBySerialNumber() {
    var mine = new UsbSpec(0x1050, 0x0407, "0099999999");
    assertThat(devices(MACHINE, config(resource("mine", usb(mine)))))
        .containsExactly("mine usb-1050-0407-0099999999: /dev/bus/usb/003/023 rw");
    var prefix = new UsbSpec(0x1050, 0x0407, "00");
    assertThat(devices(MACHINE, config(resource("mine", usb(prefix))))).isEmpty();
  }

  @Test
  void namesAStickWithoutASerialNumberByItsPort() {
    assertThat(devices(MACHINE, config(resource("storage", usb(STORAGE)))))
        .containsExactly("storage usb-46f4-0001-port3-4.1: /dev/bus/usb/003/011 rw");
  }

  @Test
  void makesSetsOfOneStickForEachSelector() {
    assertThat(devices(MACHINE, config(resource("pair", usb(KEY, STORAGE)))))
        .containsExactly(
            "pair usb-1050-0407-0012345678+usb-46f4-0001-port3-4.1:"
                + " /dev/bus/usb/003/022 rw, /dev/bus/usb/003/011 rw");
    assertThat(devices(MACHINE, config(resource("pair", usb(KEY, KEY)))))
        .containsExactly(
            "pair usb-1050-0407-0012345678+usb-1050-0407-0099999999:"
                + " /dev/bus/usb/003/022 rw, /dev/bus/usb/003/023 rw");
    assertThat(devices(MACHINE, config(resource("three", usb(KEY, KEY, KEY))))).isEmpty();
  }

  @Test
  void aStickIsInOneSetOfAResourceOnly() {
    Scan scan = scan(MACHINE, config(resource("r", usb(KEY, STORAGE), usb(KEY), usb(STORAGE))));
    assertThat(devices(scan))
        .containsExactly(
            "r usb-1050-0407-0012345678+usb-46f4-0001-port3-4.1:"
                + " /dev/bus/usb/003/022 rw, /dev/bus/usb/003/011 rw",
            "r usb-1050-0407-0099999999: /dev/bus/usb/003/023 rw");
    assertThat(problems(scan)).isEmpty();
  }

  @Test
  void offersASetAsOftenAsItsCountSays() {
    var twice = new Group(2, List.of(), List.of(STORAGE), HealthCheck.EXISTS);
    assertThat(devices(MACHINE, config(resource("storage", twice))))
        .containsExactly(
            "storage usb-46f4-0001-port3-4.1-0: /dev/bus/usb/003/011 rw",
            "storage usb-46f4-0001-port3-4.1-1: /dev/bus/usb/003/011 rw");
  }

  @Test
  void keepsTheIdOfAStickThatIsPluggedInAgain() {
    String replugged = MACHINE.replace("003/022", "003/031").replace("| 22\n", "| 31\n");
    assertThat(devices(replugged, config(resource("key", usb(KEY)))).getFirst())
        .isEqualTo("key usb-1050-0407-0012345678: /dev/bus/usb/003/031 rw");
  }

  @Test
  void compatIdsAreThoseOfGenericDevicePlugin() {
    var mine = new UsbSpec(0x1050, 0x0407, "0012345678");
    assertThat(devices(MACHINE, compat(resource("key", usb(mine)))))
        .containsExactly("key eface26afd7952c41e1b3baa744fb543353eedb0: /dev/bus/usb/003/022 rw");
  }

  @Test
  void sticksWithOneSerialNumberAreToldApartByPort() {
    String machine = MACHINE.replace("0099999999", "0012345678");
    Scan scan = scan(machine, config(resource("key", usb(KEY))));
    assertThat(devices(scan))
        .containsExactly(
            "key usb-1050-0407-0012345678-port3-1: /dev/bus/usb/003/022 rw",
            "key usb-1050-0407-0012345678-port3-2: /dev/bus/usb/003/023 rw");
    assertThat(problems(scan)).isEmpty();
  }

  @Test
  void theSameSerialNumberOfAnotherProductDoesNotMatter() {
    String machine = MACHINE + stick("3-5", 0x46f4, 0x0001, 3, 40, "0012345678");
    assertThat(devices(machine, config(resource("key", usb(KEY)))).getFirst())
        .startsWith("key usb-1050-0407-0012345678: ");
  }

  @Test
  void oddSerialNumbersMakeValidIds() {
    String machine =
        "# tree 1; x\n"
            + stick("1-1", 0x1050, 0x0407, 1, 2, "a b/c+d")
            + stick("1-2", 0x1050, 0x0407, 1, 3, "9".repeat(5000));
    assertThat(devices(machine, config(resource("key", usb(KEY)))))
        .hasSize(2)
        .anyMatch(line -> line.matches("key [0-9a-f]{40}: /dev/bus/usb/001/003 rw"))
        .contains("key usb-1050-0407-a-b-c-d: /dev/bus/usb/001/002 rw");
  }

  @Test
  void aStickWithoutItsNodeIsUnhealthyAndDoesNotHideItsNeighbours() {
    String machine = MACHINE.replace("node  dev/bus/usb/003/022 c 189:277 0664\n", "");
    assertThat(devices(machine, config(resource("key", usb(KEY)))))
        .containsExactly(
            "key usb-1050-0407-0012345678 is unhealthy: node /dev/bus/usb/003/022 is gone",
            "key usb-1050-0407-0099999999: /dev/bus/usb/003/023 rw");
  }

  @Test
  void aDirectoryInPlaceOfTheNodeIsUnhealthy() {
    String machine =
        MACHINE.replace("node  dev/bus/usb/003/022 c 189:277 0664", "dir dev/bus/usb/003/022");
    assertThat(devices(machine, config(resource("key", usb(KEY)))).getFirst())
        .endsWith("/dev/bus/usb/003/022 is a directory; needed is a device node");
  }

  @Test
  void triesToOpenASetWhenToldTo() {
    String machine = MACHINE.replace("c 189:277 0664", "c 189:277 0664 EIO");
    var open = new Group(1, List.of(), List.of(STORAGE, KEY), HealthCheck.OPEN);
    assertThat(devices(machine, config(resource("r", open))))
        .containsExactly(
            "r usb-46f4-0001-port3-4.1+usb-1050-0407-0012345678 is unhealthy:"
                + " /dev/bus/usb/003/022 cannot be opened: EIO");
  }

  @Test
  void hasTheNumaNodeOfItsController() {
    String machine =
        """
        # tree 1; x
        link  sys/bus/usb/devices/3-1 -> ../../../devices/pci0000:00/0000:00:14.0/usb3/3-1
        file  sys/devices/pci0000:00/0000:00:14.0/numa_node
        | 1
        """
            + stick("3-1", 0x1050, 0x0407, 3, 22, "5")
                .replace("sys/bus/usb/devices", "sys/devices/pci0000:00/0000:00:14.0/usb3");
    assertThat(devices(machine, config(resource("key", usb(KEY)))))
        .containsExactly("key usb-1050-0407-5 numa 1: /dev/bus/usb/003/022 rw");
  }

  @Test
  void namesTheSticksThatNoEntryTakes() {
    Scan scan = scan(MACHINE, config(resource("storage", usb(STORAGE))));
    assertThat(notOffered(scan))
        .containsExactly(
            "/dev/bus/usb/003/022: USB device 1050:0407 with the serial number 0012345678:"
                + " no entry of device-node matches",
            "/dev/bus/usb/003/023: USB device 1050:0407 with the serial number 0099999999:"
                + " no entry of device-node matches");
  }

  @Test
  void namesWhatIsMissingAndWhatThereforeIsNotOffered() {
    var camera = new UsbSpec(0x046d, 0x0825, "AB12");
    Scan scan =
        scan(MACHINE, config(resource("pair", usb(KEY, camera)), resource("s", usb(STORAGE))));
    assertThat(notOffered(scan))
        .containsExactly(
            "USB device 046d:0825 with the serial number AB12: nothing matches;"
                + " vendor.example/pair has no device of it",
            "/dev/bus/usb/003/022: USB device 1050:0407 with the serial number 0012345678:"
                + " there is no partner left for it in its group of vendor.example/pair",
            "/dev/bus/usb/003/023: USB device 1050:0407 with the serial number 0099999999:"
                + " there is no partner left for it in its group of vendor.example/pair");
  }

  @Test
  void aBusThatCannotBeReadIsOneProblemAndCostsTheSticksAlone() {
    String machine = "# tree 1; x\nfails sys/bus/usb/devices EACCES\nnode dev/fuse c 10:229 0666\n";
    var both = config(resource("key", usb(KEY)), resource("fuse", group(path("/dev/fuse"))));
    Scan scan = scan(machine, both);
    assertThat(devices(scan)).containsExactly("fuse fuse: /dev/fuse mrw");
    assertThat(problems(scan))
        .containsExactly("/sys/bus/usb/devices: cannot list /sys/bus/usb/devices: EACCES");
    assertThat(problems(scan(machine, config(resource("fuse", group(path("/dev/fuse")))))))
        .as("nobody asked for sticks")
        .isEmpty();
  }

  @Test
  void watchesEachBusAndWhereBusesAppear() throws IOException {
    var driver = new DeviceNodeDriver(HostRoot.of(root), config(resource("key", usb(KEY))));
    assertThat(driver.watchedDirectories()).containsExactly(root.resolve("dev/bus/usb"));
    Path bus = Files.createDirectories(root.resolve("dev/bus/usb/003"));
    assertThat(driver.watchedDirectories())
        .containsExactlyInAnyOrder(root.resolve("dev/bus/usb"), bus);
  }
}
