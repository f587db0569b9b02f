package dev.patchbay.drivers.devicenode;

import static dev.patchbay.drivers.devicenode.NodeConfigs.at;
import static dev.patchbay.drivers.devicenode.NodeConfigs.compat;
import static dev.patchbay.drivers.devicenode.NodeConfigs.config;
import static dev.patchbay.drivers.devicenode.NodeConfigs.group;
import static dev.patchbay.drivers.devicenode.NodeConfigs.mount;
import static dev.patchbay.drivers.devicenode.NodeConfigs.opened;
import static dev.patchbay.drivers.devicenode.NodeConfigs.optional;
import static dev.patchbay.drivers.devicenode.NodeConfigs.path;
import static dev.patchbay.drivers.devicenode.NodeConfigs.readOnlyMount;
import static dev.patchbay.drivers.devicenode.NodeConfigs.resource;
import static dev.patchbay.drivers.devicenode.NodeConfigs.shared;
import static dev.patchbay.drivers.devicenode.NodeConfigs.times;
import static dev.patchbay.drivers.devicenode.ScanText.devices;
import static dev.patchbay.drivers.devicenode.ScanText.notOffered;
import static dev.patchbay.drivers.devicenode.ScanText.problems;
import static dev.patchbay.drivers.devicenode.ScanText.scan;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.drivers.LiveMachine;
import dev.patchbay.drivers.OfferedDevice;
import dev.patchbay.drivers.Scan;
import dev.patchbay.host.HostRoot;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Groups of paths; for USB see [DeviceNodeUsbTest], for overlaps [DeviceNodeOverlapTest].
final class DeviceNodeDriverTest {
  private static final String SERIAL =
      """
      # tree 1; composed: four serial lines and what goes with them
      node  dev/ttyUSB0 c 188:0 0660
      node  dev/ttyUSB1 c 188:1 0660
      node  dev/ttyACM0 c 166:0 0660
      node  dev/ttyS0 c 4:64 0660
      link  dev/serial/by-id/usb-ACME_one -> ../../ttyUSB1
      link  dev/serial/by-id/usb-ACME_two -> ../../ttyUSB0
      node  dev/fuse c 10:229 0666
      link  sys/dev/char/188:0 -> ../../devices/pci0000:00/0000:00:14.0/usb1/1-1/ttyUSB0
      dir   sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/ttyUSB0
      file  sys/devices/pci0000:00/0000:00:14.0/numa_node
      | 1
      """;

  private static final String SOUND =
      """
      # tree 1; composed: two sound cards
      node  dev/snd/controlC0 c 116:2 0660
      node  dev/snd/controlC1 c 116:4 0660
      node  dev/snd/pcmC0D0c c 116:3 0660
      node  dev/snd/pcmC1D0c c 116:5 0660
      node  dev/snd/timer c 116:33 0660
      file  etc/asound.conf
      | loud
      """;

  @TempDir private Path root = Path.of("/nonexistent");

  @Test
  void offersEachMatchAsADevice() {
    assertThat(devices(SERIAL, config(resource("serial", group(path("/dev/ttyUSB*"))))))
        .containsExactly(
            "serial ttyUSB0 numa 1: /dev/ttyUSB0 mrw", "serial ttyUSB1: /dev/ttyUSB1 mrw");
  }

  @ParameterizedTest(name = "{0} is {1}")
  @CsvSource({
    "/dev/ttyUSB0, ttyUSB0",
    "/dev/tty*, ttyACM0 ttyS0 ttyUSB0 ttyUSB1",
    "/dev/tty???0, ttyACM0 ttyUSB0",
    "/dev/ttyUSB[1-9], ttyUSB1",
    "/dev/tty[^U]*, ttyACM0 ttyS0",
    "/*/tty[S]0, ttyS0",
    "/dev/serial/by-id/*, serial_by-id_usb-ACME_one serial_by-id_usb-ACME_two",
    "/dev/serial/*/usb-ACME_o*, serial_by-id_usb-ACME_one",
    "'/dev/{ttyS0,fuse}', ''",
    "/dev/**/usb-ACME_one, ''",
  })
  void findsDevicesByPattern(String pattern, String ids) {
    assertThat(ids(scan(SERIAL, config(resource("serial", group(path(pattern))))))).isEqualTo(ids);
  }

  @Test
  void takesTheDevicesOfAllGroupsSortedById() {
    assertThat(
            devices(
                SERIAL,
                config(
                    resource(
                        "serial",
                        group(at("/dev/ttyUSB*", "/dev/line/", "rw")),
                        group(path("/dev/ttyACM*"))),
                    resource("fuse", times(3, path("/dev/fuse"))))))
        .containsExactly(
            "serial ttyACM0: /dev/ttyACM0 mrw",
            "serial ttyUSB0 numa 1: /dev/ttyUSB0 at /dev/line/ttyUSB0 rw",
            "serial ttyUSB1: /dev/ttyUSB1 at /dev/line/ttyUSB1 rw",
            "fuse fuse-0: /dev/fuse mrw",
            "fuse fuse-1: /dev/fuse mrw",
            "fuse fuse-2: /dev/fuse mrw");
  }

  @Test
  void aDeviceHasOneMatchOfEachPath() {
    assertThat(
            devices(
                SOUND,
                config(
                    resource(
                        "capture",
                        group(
                            path("/dev/snd/pcmC*D0c"),
                            path("/dev/snd/controlC*"),
                            shared("/dev/snd/timer", 8),
                            new DeviceNodeConfig.PathSpec(
                                "/etc/asound.conf",
                                "/etc/alsa/",
                                DeviceNodeConfig.PathType.MOUNT,
                                "r",
                                true,
                                8,
                                true))))))
        .containsExactly(
            "capture snd_pcmC0D0c+snd_controlC0+snd_timer: /dev/snd/pcmC0D0c mrw,"
                + " /dev/snd/controlC0 mrw, /dev/snd/timer mrw,"
                + " mount /etc/asound.conf at /etc/alsa/asound.conf ro",
            "capture snd_pcmC1D0c+snd_controlC1+snd_timer: /dev/snd/pcmC1D0c mrw,"
                + " /dev/snd/controlC1 mrw, /dev/snd/timer mrw,"
                + " mount /etc/asound.conf at /etc/alsa/asound.conf ro");
  }

  @Test
  void countAndLimitMultiply() {
    var pairs = times(2, path("/dev/ttyUSB*"), shared("/dev/fuse", 10));
    assertThat(ids(scan(SERIAL, config(resource("pair", pairs)))))
        .isEqualTo("ttyUSB0+fuse-0 ttyUSB0+fuse-1 ttyUSB1+fuse-0 ttyUSB1+fuse-1");
  }

  @Test
  void aMissingOptionalPathIsLeftOutAndAMissingRequiredOneIsToldOf() {
    Scan left =
        scan(SERIAL, config(resource("pair", group(path("/dev/fuse"), optional("/dev/x")))));
    assertThat(devices(left)).containsExactly("pair fuse: /dev/fuse mrw");
    assertThat(notOffered(left)).noneMatch(line -> line.startsWith("/dev/x"));

    Scan none = scan(SERIAL, config(resource("pair", group(path("/dev/fuse"), path("/dev/x")))));
    assertThat(devices(none)).isEmpty();
    assertThat(none.resources()).containsOnlyKeys(ResourceName.of("vendor.example/pair"));
    assertThat(notOffered(none))
        .contains(
            "/dev/x: nothing matches; vendor.example/pair has no device of it",
            "/dev/fuse: there is no partner left for it in its group of vendor.example/pair");
  }

  @Test
  void mountsFilesAndDirectories() {
    assertThat(
            devices(
                SOUND,
                config(
                    resource("settings", group(readOnlyMount("/etc/asound.conf"))),
                    resource("sound", group(mount("/dev/snd", "/sound"))),
                    resource("all", group(readOnlyMount("/"))))))
        .containsExactly(
            "settings etc_asound.conf: mount /etc/asound.conf ro",
            "sound snd: mount /dev/snd at /sound rw",
            "all root: mount / ro");
  }

  @Test
  void aDirectoryCanBeADevice() {
    assertThat(devices(SOUND, config(resource("sound", group(path("/dev/snd"))))))
        .containsExactly("sound snd: /dev/snd mrw");
  }

  @Test
  void givesTheRealNodeOfALinkUnderTheNameOfTheLink() {
    assertThat(devices(SERIAL, config(resource("line", group(path("/dev/serial/by-id/*"))))))
        .containsExactly(
            "line serial_by-id_usb-ACME_one: /dev/ttyUSB1 at /dev/serial/by-id/usb-ACME_one mrw",
            "line serial_by-id_usb-ACME_two numa 1:"
                + " /dev/ttyUSB0 at /dev/serial/by-id/usb-ACME_two mrw");
  }

  @Test
  void anIdByLinkStaysWhenTheNodesAreNumberedAnew() {
    var byLink = config(resource("line", group(path("/dev/serial/by-id/*"))));
    String renumbered =
        SERIAL
            .replace("../../ttyUSB0", "../../x")
            .replace("../../ttyUSB1", "../../ttyUSB0")
            .replace("../../x", "../../ttyUSB1");
    assertThat(ids(scan(renumbered, byLink))).isEqualTo(ids(scan(SERIAL, byLink)));
    assertThat(devices(renumbered, byLink).getFirst()).contains("usb-ACME_one", ": /dev/ttyUSB0 ");
  }

  @Test
  void compatIdsAreThoseThatPodsOfGenericDevicePluginHold() {
    Scan scan =
        scan(
            SERIAL,
            compat(
                resource("fuse", times(10, path("/dev/fuse"))),
                resource("serial", group(path("/dev/ttyUSB*")))));
    assertThat(devices(scan))
        .hasSize(12)
        .contains(
            "fuse a68db766f638034740111848aafee2d2dcd6b642: /dev/fuse mrw",
            "fuse bd6ee27a4355ad16a10fab1ffbeb436b0d07000f: /dev/fuse mrw",
            "serial 244c4eb967dd5fcfdc3d774106a9b1a20992aa12 numa 1: /dev/ttyUSB0 mrw");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          file  dev/x              | /dev/x is a regular file; needed is a device node
          link  dev/x -> nothing   | /dev/x is a link that leads nowhere
          link  dev/x -> x         | /dev/x is a link that leads nowhere
          link  dev/x -> /../../y  | /dev/x is a link that leads nowhere
          link  dev/x -> ../etc/f  | /dev/x is a regular file; needed is a device node
          """)
  void whatIsNoDeviceNodeIsUnhealthyAndDoesNotHideItsNeighbours(String entry, String why) {
    String machine = SERIAL + "file etc/f\n" + entry + "\n";
    assertThat(
            devices(
                machine, config(resource("r", group(path("/dev/fuse")), group(path("/dev/x"))))))
        .containsExactly("r fuse: /dev/fuse mrw", "r x is unhealthy: " + why);
  }

  @ParameterizedTest(name = "opening says {0}: {1}")
  @CsvSource({
    "EBUSY, ': /dev/x mrw'",
    "EPERM, ': /dev/x mrw'",
    "EACCES, ': /dev/x mrw'",
    "ENXIO, ' is unhealthy: /dev/x cannot be opened: ENXIO'",
    "EIO, ' is unhealthy: /dev/x cannot be opened: EIO'",
  })
  void triesToOpenADeviceOnlyWhenToldTo(String error, String expected) {
    String machine = SERIAL + "node dev/x c 241:0 0600 " + error + "\n";
    assertThat(devices(machine, config(resource("r", opened(path("/dev/x"))))))
        .containsExactly("r x" + expected);
    assertThat(devices(machine, config(resource("r", group(path("/dev/x"))))))
        .containsExactly("r x: /dev/x mrw");
  }

  @Test
  void oneBrokenPartMakesItsWholeDeviceUnhealthyAndNoOther() {
    String machine = SOUND.replace("controlC1 c 116:4 0660", "controlC1 c 116:4 0660 ENODEV");
    assertThat(
            devices(
                machine,
                config(
                    resource(
                        "capture", opened(path("/dev/snd/pcmC*D0c"), path("/dev/snd/controlC*"))))))
        .containsExactly(
            "capture snd_pcmC0D0c+snd_controlC0: /dev/snd/pcmC0D0c mrw, /dev/snd/controlC0 mrw",
            "capture snd_pcmC1D0c+snd_controlC1 is unhealthy:"
                + " /dev/snd/controlC1 cannot be opened: ENODEV");
  }

  @Test
  void aMountThatLeadsNowhereMakesItsDeviceUnhealthy() {
    String machine = SERIAL + "link  etc/line.conf -> gone\n";
    assertThat(
            devices(
                machine,
                config(
                    resource("r", group(path("/dev/ttyUSB0"), readOnlyMount("/etc/line.conf"))))))
        .containsExactly(
            "r ttyUSB0 is unhealthy: /etc/line.conf is gone or a link that leads nowhere");
  }

  @Test
  void aDirectoryThatCannotBeReadIsAProblemAndHidesNothingElse() {
    Scan scan =
        scan(
            SERIAL + "fails dev/locked EACCES\n",
            config(resource("r", group(path("/dev/locked/*")), group(path("/dev/fuse")))));
    assertThat(devices(scan)).containsExactly("r fuse: /dev/fuse mrw");
    assertThat(problems(scan)).containsExactly("/dev/locked/*: cannot list /dev/locked: EACCES");

    Scan wider =
        scan(
            SERIAL + "fails dev/locked EACCES\n",
            config(resource("r", group(path("/dev/*/*/*one")))));
    assertThat(ids(wider)).isEqualTo("serial_by-id_usb-ACME_one");
    assertThat(problems(wider)).containsExactly("/dev/*/*/*one: cannot list /dev/locked: EACCES");
  }

  @Test
  void hasTheNumaNodesOfAllItsParts() {
    String machine =
        SERIAL
            + """
            link  sys/dev/char/188:1 -> ../../devices/pci0000:80/0000:80:01.0
            file  sys/devices/pci0000:80/0000:80:01.0/numa_node
            | 0
            """;
    assertThat(
            devices(
                machine, config(resource("r", group(path("/dev/ttyUSB0"), path("/dev/ttyUSB1"))))))
        .containsExactly("r ttyUSB0+ttyUSB1 numa 0,1: /dev/ttyUSB0 mrw, /dev/ttyUSB1 mrw");
  }

  // --- edits of several devices

  @Test
  void givesAContainerTheNodesOfAllItsDevicesEachOnce() throws IOException {
    assertThat(editsOfAll(resource("r", group(path("/dev/ttyUSB*"), shared("/dev/fuse", 9)))))
        .isEqualTo("/dev/ttyUSB0 mrw, /dev/fuse mrw, /dev/ttyUSB1 mrw");
    assertThat(editsOfAll(resource("r", times(5, path("/dev/fuse"))))).isEqualTo("/dev/fuse mrw");
  }

  @Test
  void refusesTwoDevicesAtOnePlaceOfTheContainer() {
    assertThatThrownBy(() -> editsOfAll(resource("r", group(at("/dev/ttyUSB*", "/dev/line", "r")))))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "cannot give /dev/ttyUSB0 and /dev/ttyUSB1 of vendor.example/r to one container:"
                + " both would be /dev/line; end mount-path with a slash");
  }

  @Test
  void refusesTwoMountsAtOnePlaceOfTheContainer() {
    assertThatThrownBy(() -> editsOfAll(resource("r", group(mount("/dev/ttyUSB*", "/line")))))
        .hasMessageStartingWith("cannot give /dev/ttyUSB0 and /dev/ttyUSB1 of vendor.example/r")
        .hasMessageContaining("both would be /line");
  }

  @Test
  void aDeviceWhosePartsWouldLieAtOnePlaceIsUnhealthy() {
    assertThat(
            devices(
                SERIAL,
                config(
                    resource(
                        "r",
                        group(at("/dev/ttyUSB0", "/dev/x", "r"), at("/dev/fuse", "/dev/x", "r"))))))
        .containsExactly(
            "r ttyUSB0+fuse is unhealthy: /dev/ttyUSB0 and /dev/fuse would both be /dev/x in the"
                + " container; each needs a mount-path of its own");
  }

  private static String editsOfAll(DeviceNodeConfig.NodeResource resource) throws IOException {
    var driver = new DeviceNodeDriver(HostRoot.ofArchive("machine", SERIAL), config(resource));
    ResourceName name = ResourceName.of("vendor.example/r");
    List<OfferedDevice> all = driver.scan().resources().getOrDefault(name, List.of());
    ContainerEdits edits = driver.edits(name, all);
    return ScanText.edits(edits);
  }

  // --- a live machine

  @Test
  void seesNodesComeAndGoOnALiveMachine() throws IOException {
    HostRoot host = LiveMachine.unpack(root, SERIAL);
    var driver = new DeviceNodeDriver(host, config(resource("r", group(path("/dev/ttyUSB*")))));
    assertThat(ids(driver.scan())).isEqualTo("ttyUSB0 ttyUSB1");
    Files.delete(root.resolve("dev/ttyUSB0"));
    assertThat(ids(driver.scan())).isEqualTo("ttyUSB1");
    LiveMachine.makeNode(root.resolve("dev/ttyUSB7"), 188, 7);
    assertThat(ids(driver.scan())).isEqualTo("ttyUSB1 ttyUSB7");
    Files.delete(root.resolve("dev/ttyUSB7"));
    Files.writeString(root.resolve("dev/ttyUSB7"), "");
    assertThat(devices(driver.scan()).getLast())
        .isEqualTo(
            "r ttyUSB7 is unhealthy:" + " /dev/ttyUSB7 is a regular file; needed is a device node");
  }

  @Test
  void opensRealNodes() throws IOException {
    var host = HostRoot.of(Path.of("/"));
    var driver = new DeviceNodeDriver(host, config(resource("r", opened(path("/dev/null")))));
    assertThat(devices(driver.scan())).containsExactly("r null: /dev/null mrw");
    assertThat(driver.scan().problems()).isEmpty();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /dev/kvm               | dev
          /dev/snd/              | dev
          /dev/ttyUSB*           | dev
          /dev/serial/by-id/x    | dev/serial/by-id
          /dev/serial/by-id/*    | dev/serial/by-id
          /dev/none/*            | dev/none
          /dev/s*/by-id/*        | dev dev/serial/by-id dev/snd/by-id
          /dev/s*/x              | dev dev/serial dev/snd
          /dev/with\\*star/*     | dev/with*star
          /*                     | .
          """)
  void watchesTheDirectoriesInWhichMatchesCanAppear(String pattern, String directories)
      throws IOException {
    Files.createDirectories(root.resolve("dev/serial/by-id"));
    Files.createDirectories(root.resolve("dev/snd"));
    Files.writeString(root.resolve("dev/stray"), "");
    var driver =
        new DeviceNodeDriver(HostRoot.of(root), config(resource("r", group(path(pattern)))));
    assertThat(driver.watchedDirectories())
        .extracting(each -> root.relativize(each.normalize()).toString())
        .containsExactlyInAnyOrderElementsOf(List.of(directories.replace(".", "").split(" ", -1)));
  }

  private static String ids(Scan scan) {
    return String.join(
        " ",
        scan.resources().values().stream()
            .flatMap(List::stream)
            .map(each -> each.device().id().value())
            .toList());
  }
}
