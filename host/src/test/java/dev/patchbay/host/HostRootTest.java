package dev.patchbay.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class HostRootTest {
  private static final String MACHINE =
      """
      # tree 1; composed for this test
      node  dev/kvm c 10:232 0600
      node  dev/broken c 241:1 0600 ENXIO
      node  dev/busy c 241:2 0600 EBUSY
      node  dev/denied c 241:3 0600 EPERM
      node  dev/ttyUSB0 c 188:0 0660
      node  dev/ttyUSB1 c 188:1 0660
      link  dev/serial/by-id/usb-one -> ../../ttyUSB1
      link  dev/outside -> /../../etc/passwd
      link  dev/loop-a -> loop-b
      link  dev/loop-b -> loop-a
      link  dev/dangling -> nothing
      dir   dev/empty
      fails dev/unreadable EACCES
      file  sys/devices/pci0000:00/0000:00:01.0/numa_node
      | 1
      file  sys/devices/pci0000:00/0000:00:02.0/numa_node
      | -1
      link  sys/dev/char/188:0 -> ../../devices/pci0000:00/0000:00:01.0/usb1/1-1/ttyUSB0
      file  sys/devices/pci0000:00/0000:00:01.0/usb1/1-1/ttyUSB0/dev
      | 188:0
      fails sys/class/net/eth0/speed EINVAL
      file  etc/with%20blank
      | one
      |
      | three
      """;
  private final HostRoot machine = HostRoot.ofArchive("machine.tree", MACHINE);

  @TempDir private Path dir = Path.of("/nonexistent");

  @Test
  void readsAttributesAndTellsAbsentFromUnreadable() {
    assertThat(machine.readAttribute("/sys/devices/pci0000:00/0000:00:01.0/numa_node"))
        .isEqualTo(new Attribute.Value("1"));
    assertThat(machine.readAttribute("/sys/nothing")).isInstanceOf(Attribute.Absent.class);
    assertThat(machine.readAttribute("/sys/class/net/eth0/speed"))
        .isEqualTo(new Attribute.Unreadable("/sys/class/net/eth0/speed: EINVAL"));
    assertThat(machine.readAttribute("/etc/with blank"))
        .isEqualTo(new Attribute.Value("one\n\nthree"));
  }

  @Test
  void followsLinksBelowTheRootAlone() {
    assertThat(machine.resolve("/dev/serial/by-id/usb-one")).contains("/dev/ttyUSB1");
    assertThat(machine.resolve("/dev/outside")).isEmpty();
    assertThat(machine.resolve("/dev/loop-a")).isEmpty();
    assertThat(machine.resolve("/dev/dangling")).isEmpty();
    assertThat(machine.lstat("/dev/dangling").orElseThrow().kind()).isEqualTo(Stat.Kind.LINK);
    assertThat(machine.stat("/dev/serial/by-id/usb-one").orElseThrow().major()).isEqualTo(188);
  }

  @Test
  void aLinkInALiveTreeCannotLeadOut() throws IOException {
    Files.createDirectories(dir.resolve("dev"));
    Files.createSymbolicLink(dir.resolve("dev/hosts"), Path.of("/etc/hosts"));
    Files.createSymbolicLink(dir.resolve("dev/up"), Path.of("../../../../../../etc/hosts"));
    HostRoot live = HostRoot.of(dir);
    assertThat(live.readAttribute("/dev/hosts")).isInstanceOf(Attribute.Absent.class);
    assertThat(live.readAttribute("/dev/up")).isInstanceOf(Attribute.Absent.class);
    Files.createDirectories(dir.resolve("etc"));
    Files.writeString(dir.resolve("etc/hosts"), "inside\n");
    assertThat(live.readAttribute("/dev/hosts")).isEqualTo(new Attribute.Value("inside"));
    assertThat(live.readAttribute("/dev/up")).isEqualTo(new Attribute.Value("inside"));
  }

  @Test
  void tellsWhatOpeningADeviceSays() {
    assertThat(machine.tryOpen("/dev/kvm")).isInstanceOf(OpenResult.Opened.class);
    assertThat(machine.tryOpen("/dev/broken")).isEqualTo(new OpenResult.Failed("ENXIO"));
    assertThat(machine.tryOpen("/dev/busy")).isInstanceOf(OpenResult.Busy.class);
    assertThat(machine.tryOpen("/dev/denied")).isInstanceOf(OpenResult.NotPermitted.class);
    assertThat(machine.tryOpen("/dev/none"))
        .isEqualTo(new OpenResult.Failed("there is no /dev/none"));
  }

  @Test
  void readsDeviceNumbersOfTheLiveMachine() throws IOException {
    Stat nothing = HostRoot.of(Path.of("/")).stat("/dev/null").orElseThrow();
    assertThat(nothing).isEqualTo(new Stat(Stat.Kind.CHARACTER_DEVICE, 1, 3, 0666));
    assertThat(HostRoot.of(Path.of("/")).tryOpen("/dev/null"))
        .isInstanceOf(OpenResult.Opened.class);
  }

  @Test
  void findsPathsByPatternSorted() throws IOException {
    assertThat(machine.glob("/dev/ttyUSB*").paths())
        .containsExactly("/dev/ttyUSB0", "/dev/ttyUSB1");
    assertThat(machine.glob("/dev/serial/by-id/*").paths())
        .containsExactly("/dev/serial/by-id/usb-one");
    assertThat(machine.glob("/dev/kvm").paths()).containsExactly("/dev/kvm");
    assertThat(machine.glob("/dev/none*/x").paths()).isEmpty();
    assertThat(machine.glob("/").paths()).containsExactly("/");
    assertThat(machine.list("/dev/empty")).isEmpty();
    assertThatThrownBy(() -> machine.list("/dev/unreadable"))
        .isInstanceOf(IOException.class)
        .hasMessage("cannot list /dev/unreadable: EACCES");
  }

  @Test
  void oneUnreadableDirectoryDoesNotHideTheMatchesInOthers() {
    HostRoot.Matches found = machine.glob("/dev/*/*");
    assertThat(found.paths()).containsExactly("/dev/serial/by-id");
    assertThat(found.unreadable()).containsExactly("cannot list /dev/unreadable: EACCES");
  }

  @Test
  void looksOnlyIntoDirectoriesForMatchesOnALiveMachineToo() throws IOException {
    Files.createDirectories(dir.resolve("dev/serial"));
    Files.writeString(dir.resolve("dev/serial/one"), "");
    Files.writeString(dir.resolve("dev/stray"), "");
    HostRoot live = HostRoot.of(dir);
    assertThat(live.glob("/dev/*/*"))
        .isEqualTo(new HostRoot.Matches(List.of("/dev/serial/one"), List.of()));
    assertThatThrownBy(() -> live.list("/dev/stray"))
        .hasMessage("cannot list /dev/stray: it is no directory");
    assertThatThrownBy(() -> machine.list("/dev/kvm"))
        .hasMessage("cannot list /dev/kvm: it is no directory");
  }

  @Test
  void readsRegularFilesOfModestSizeOnly() throws IOException {
    Files.createDirectories(dir.resolve("sys/directory"));
    try (var huge = new RandomAccessFile(dir.resolve("sys/huge").toFile(), "rw")) {
      huge.setLength(3L << 30);
    }
    makePipe(dir.resolve("sys/pipe"));
    HostRoot live = HostRoot.of(dir);
    assertThat(live.readAttribute("/sys/huge"))
        .isEqualTo(new Attribute.Unreadable("/sys/huge: has more than 1048576 bytes"));
    assertThat(live.readAttribute("/sys/pipe"))
        .isEqualTo(
            new Attribute.Unreadable("/sys/pipe: is a pipe or the like; needed is a regular file"));
    assertThat(live.readAttribute("/sys/directory"))
        .isEqualTo(
            new Attribute.Unreadable("/sys/directory: is a directory; needed is a regular file"));
    assertThat(machine.readAttribute("/dev"))
        .isEqualTo(new Attribute.Unreadable("/dev: is a directory; needed is a regular file"));
  }

  @Test
  void aNameThatNoFileCanHaveIsAbsent() throws IOException {
    HostRoot live = HostRoot.of(dir);
    String never = "/dev/a\u0000b";
    assertThat(live.readAttribute(never)).isEqualTo(new Attribute.Absent());
    assertThat(live.stat(never)).isEmpty();
    assertThat(live.readLink(never)).isEmpty();
    assertThat(live.livePath(never)).isEmpty();
    assertThat(live.list(never)).isEmpty();
    assertThat(live.glob(never).paths()).isEmpty();
  }

  @Test
  void aDeviceThatHangsWhenItIsOpenedHoldsOneThreadHoweverOftenItIsLookedAt() throws IOException {
    Path pipe = dir.resolve("hangs");
    makePipe(pipe);
    HostRoot live = HostRoot.of(dir);
    for (int look = 0; look < 3; look++)
      assertThat(live.tryOpen("/hangs")).isInstanceOf(OpenResult.TimedOut.class);
    assertThat(openThreads()).isEqualTo(1);
    try (var _ = Files.newOutputStream(pipe)) {
      await().until(() -> openThreads() == 0);
      assertThat(live.tryOpen("/hangs")).isInstanceOf(OpenResult.Opened.class);
    }
  }

  @Test
  void aDeviceThatGoesJustBeforeItIsOpenedIsNotThere() {
    assertThat(new LiveFiles(dir).open("/dev/gone"))
        .isEqualTo(new OpenResult.Failed("there is no /dev/gone"));
  }

  private static long openThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("patchbay-open"))
        .count();
  }

  private static void makePipe(Path path) throws IOException {
    int result = new ProcessBuilder("mkfifo", path.toString()).start().onExit().join().exitValue();
    assertThat(result).as("mkfifo %s", path).isZero();
  }

  @ParameterizedTest(name = "{0} matches {1}: {2}")
  @CsvSource({
    "ttyUSB*, ttyUSB0, true",
    "ttyUSB*, ttyACM0, false",
    "tty?, tty1, true",
    "tty?, tty12, false",
    "tty[0-3], tty3, true",
    "tty[0-3], tty4, false",
    "tty[^0-3], tty4, true",
    "tty[^0-3], tty1, false",
    "a\\*, a*, true",
    "a\\*, ab, false",
    "*, .hidden, true",
    "[]a], ], true",
    "pcmC*D0c, pcmC1D0c, true",
    "a.b, axb, false",
  })
  void matchesPatternsAsGoDoes(String pattern, String name, boolean matches) {
    assertThat(Glob.ofComponent(pattern).matches(name)).isEqualTo(matches);
  }

  @Test
  void refusesAPatternThatIsNotWellFormed() {
    assertThatThrownBy(() -> Glob.ofComponent("tty[0-9")).hasMessageContaining("without its \"]\"");
    assertThatThrownBy(() -> Glob.ofComponent("tty\\")).hasMessageContaining("backslash");
  }

  @Test
  void findsTheNumaNodeOfADeviceOrOfABridgeAboveIt() {
    Stat tty = machine.stat("/dev/ttyUSB0").orElseThrow();
    assertThat(NumaNodes.of(machine, tty)).containsExactly(1);
    assertThat(NumaNodes.of(machine, machine.stat("/dev/kvm").orElseThrow())).isEmpty();
    assertThat(NumaNodes.ofDirectory(machine, "/sys/devices/pci0000:00/0000:00:02.0")).isEmpty();
  }

  @Test
  void namesFileAndLineOfABadArchive() {
    assertThatThrownBy(() -> HostRoot.ofArchive("m.tree", "# tree 1; x\nnode dev/a c 10 0600\n"))
        .hasMessageStartingWith("m.tree:2: a node needs");
    assertThatThrownBy(() -> HostRoot.ofArchive("m.tree", "hello"))
        .hasMessageStartingWith("m.tree:1:");
    assertThatThrownBy(() -> HostRoot.ofArchive("m.tree", "# tree 1; x\nfile /abs\n"))
        .hasMessageContaining("leading slash");
  }

  @Test
  void anArchiveSurvivesBeingWrittenAndRead() {
    HostArchive archive = HostArchive.parse("m", MACHINE);
    assertThat(HostArchive.parse("again", archive.text())).isEqualTo(archive);
  }

  @Test
  void aCaptureOfACaptureIsTheSame() throws IOException {
    InstantSource clock = InstantSource.fixed(Instant.parse("2026-02-11T10:00:00Z"));
    String first = Capture.of(HostRoot.of(Path.of("/")), clock);
    assertThat(first)
        .startsWith("# tree 1; captured 2026-02-11; kernel ")
        .contains("node  dev/null c 1:3 0666");
    assertThat(Capture.of(HostRoot.ofArchive("first", first), clock)).isEqualTo(first);
  }

  @Test
  void capturesAMachineWhoseVersionSaysNothing() {
    HostRoot odd = HostRoot.ofArchive("odd", "# tree 1; x\nfile proc/version\n| what\n");
    assertThat(Capture.of(odd, InstantSource.fixed(Instant.EPOCH)))
        .startsWith("# tree 1; captured 1970-01-01; kernel unknown\n");
  }

  @Test
  void aCaptureReplacesAddressesAndSerialNumbersEqualOnesByEqualOnes() {
    String machineWithSecrets =
        """
        # tree 1; composed
        link  sys/bus/usb/devices/1-1 -> ../../../devices/usb1/1-1
        link  sys/bus/usb/devices/1-2 -> ../../../devices/usb1/1-2
        file  sys/devices/usb1/1-1/serial
        | A6008isP
        file  sys/devices/usb1/1-1/address
        | 3c:ec:ef:12:34:56
        file  sys/devices/usb1/1-2/serial
        | A6008isP
        """;
    String captured =
        Capture.of(HostRoot.ofArchive("m", machineWithSecrets), InstantSource.fixed(Instant.EPOCH));
    assertThat(captured).doesNotContain("A6008isP").doesNotContain("3c:ec:ef");
    HostRoot again = HostRoot.ofArchive("captured", captured);
    assertThat(again.readAttribute("/sys/bus/usb/devices/1-1/serial"))
        .isEqualTo(again.readAttribute("/sys/bus/usb/devices/1-2/serial"));
  }

  @Test
  void readsUsbDevicesAndSkipsInterfaces() throws IOException {
    HostRoot usb =
        HostRoot.ofArchive(
            "usb",
            """
            # tree 1; composed
            file  sys/bus/usb/devices/1-1.2/idVendor
            | 1050
            file  sys/bus/usb/devices/1-1.2/idProduct
            | 0407
            file  sys/bus/usb/devices/1-1.2/busnum
            | 3
            file  sys/bus/usb/devices/1-1.2/devnum
            | 22
            file  sys/bus/usb/devices/1-1.2/serial
            | 0012345678
            file  sys/bus/usb/devices/1-1.2:1.0/bInterfaceNumber
            | 00
            """);
    List<UsbBus.UsbDevice> devices = UsbBus.devices(usb);
    assertThat(devices).hasSize(1);
    assertThat(devices.getFirst().node()).isEqualTo("/dev/bus/usb/003/022");
    assertThat(devices.getFirst().idText()).isEqualTo("1050:0407");
    assertThat(devices.getFirst().serial()).contains("0012345678");
  }
}
