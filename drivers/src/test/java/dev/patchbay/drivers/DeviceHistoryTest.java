package dev.patchbay.drivers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.drivers.DeviceHistory.Patience;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.Health;
import dev.patchbay.model.ResourceName;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SequencedMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Scans stand in the tables as `second:state`. States are `well`, `broken`, and `absent`; what is
/// advertised is `well`, `broken`, `gone`, `held` (back for flapping), and `-` when the device is
/// not listed.
final class DeviceHistoryTest {
  /// Gone after 300 s; three changes in 60 s are flapping; 10 s of quiet end it.
  private static final Patience PATIENCE = Patience.USUAL;

  private static final ResourceName SERIAL = ResourceName.of("vendor.example/serial");
  private static final ResourceName CAMERA = ResourceName.of("vendor.example/camera");
  private static final Instant START = Instant.parse("2026-02-11T10:00:00Z");

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          a well device is listed at once          | 0:well 10:well                                      | well well
          a broken device is listed as that        | 0:broken 10:broken                                  | broken broken
          health goes down and up at once          | 0:well 10:broken 20:well                            | well broken well
          a device that heals for the first time   | 0:broken 10:well                                    | broken well
          a vanished one stays for five minutes    | 0:well 1:absent 300:absent 301:absent               | well gone gone -
          a broken one may vanish too              | 0:broken 1:absent 301:absent                        | broken gone -
          it comes back in time                    | 0:well 10:absent 20:well                            | well gone well
          it comes back broken                     | 0:well 10:absent 20:broken 30:well                  | well gone broken well
          it comes back after it was forgotten     | 0:well 10:absent 310:absent 400:well                | well gone - well
          each absence has its own five minutes    | 0:well 10:absent 200:well 210:absent 509:absent 510:absent | well gone well gone gone -
          nobody looked while it was away too long | 0:well 10:absent 900:absent                         | well gone -
          it is back although nobody looked        | 0:well 10:absent 900:well                           | well gone well
          it was never there                       | 0:absent 10:absent                                  | - -
          """)
  void listsADeviceThroughItsLife(String name, String scans, String advertised) {
    assertThat(advertised(scans)).isEqualTo(advertised);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          two changes in a minute are no flapping       | 0:well 10:broken 20:well                                         | well broken well
          the third one in a minute is                  | 0:broken 10:well 20:broken 30:well                               | broken well broken held
          ten quiet seconds end it                      | 0:broken 10:well 20:broken 30:well 39:well 40:well               | broken well broken held held well
          it is not looked at for long                  | 0:broken 10:well 20:broken 30:well 500:well                      | broken well broken held well
          a flapping one that is broken says why        | 0:well 10:broken 20:well 30:broken 31:broken                     | well broken well broken broken
          being broken is no quiet time                 | 0:well 10:broken 20:well 30:broken 50:well 59:well 60:well       | well broken well broken held held well
          breaking while held starts the ten seconds anew | 0:broken 10:well 20:broken 30:well 35:broken 38:well 47:well 48:well | broken well broken held broken held held well
          vanishing and coming back is a change of health | 0:well 1:absent 2:well 3:absent 4:well 14:well                 | well gone well gone held well
          one that vanishes while held is gone          | 0:broken 10:well 20:broken 30:well 32:absent 332:absent          | broken well broken held gone -
          a broken one that vanishes does not change    | 0:broken 1:absent 2:broken 3:absent 4:broken 5:well              | broken gone broken gone broken well
          a change a minute ago still counts            | 0:broken 10:well 40:broken 70:well                               | broken well broken held
          an older one does not                         | 0:broken 10:well 40:broken 71:well                               | broken well broken well
          slow changes never count                      | 0:well 40:broken 80:well 120:broken 160:well 200:broken 240:well | well broken well broken well broken well
          after the hold it is soon taken for flapping again | 0:broken 10:well 20:broken 30:well 40:well 45:broken 46:well | broken well broken held well broken held
          a quiet minute makes it as good as new        | 0:broken 10:well 20:broken 30:well 40:well 120:broken 121:well   | broken well broken held well broken well
          being forgotten makes it as good as new       | 0:broken 10:well 20:broken 30:well 31:absent 331:absent 332:well | broken well broken held gone - well
          """)
  void holdsBackADeviceThatFlaps(String name, String scans, String advertised) {
    assertThat(advertised(scans)).isEqualTo(advertised);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          a well device                            | 0:well                                     | never
          a broken one                             | 0:broken                                   | never
          a vanished one is dropped                | 0:well 10:absent                           | 310
          it is dropped no later for being looked at | 0:well 10:absent 200:absent              | 310
          one that is back stays                   | 0:well 10:absent 20:well                   | never
          one that was dropped                     | 0:well 10:absent 310:absent                | never
          one that is held is let go               | 0:broken 10:well 20:broken 30:well 33:well | 40
          one that was let go                      | 0:broken 10:well 20:broken 30:well 40:well | never
          one that flaps and is broken now         | 0:well 10:broken 20:well 30:broken         | never
          one that flaps and is gone now           | 0:well 10:broken 20:well 30:absent         | 330
          """)
  void tellsWhenSomethingChangesByItself(String name, String scans, String second) {
    Optional<Instant> expected =
        second.equals("never") ? Optional.empty() : Optional.of(at(Integer.parseInt(second)));
    assertThat(after(scans).nextChange(PATIENCE)).isEqualTo(expected);
  }

  @Test
  void theEarliestChangeOfAllDevicesIsTheNextOne() {
    DeviceHistory history =
        DeviceHistory.EMPTY
            .after(scan(SERIAL, well("a"), well("b")), at(0), PATIENCE)
            .after(scan(SERIAL, well("b")), at(5), PATIENCE)
            .after(scan(SERIAL), at(9), PATIENCE);
    assertThat(history.nextChange(PATIENCE)).contains(at(305));
  }

  /// A long random life: what [DeviceHistory#nextChange] promises holds after each scan, and
  /// nothing that was found broken or was not found is ever advertised as well.
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void keepsItsPromisesThroughARandomLife(long seed) {
    Random random = new Random(seed);
    DeviceHistory history = DeviceHistory.EMPTY;
    Instant now = START;
    for (int step = 0; step < 400; step++) {
      now = now.plusMillis(1 + random.nextInt(random.nextInt(20) == 0 ? 400_000 : 20_000));
      List<OfferedDevice> found = new ArrayList<>();
      for (String id : List.of("a", "b"))
        switch (random.nextInt(3)) {
          case 0 -> found.add(well(id));
          case 1 -> found.add(broken(id));
          default -> {}
        }
      Scan scan = scan(SERIAL, found.toArray(OfferedDevice[]::new));
      history = history.after(scan, now, PATIENCE);
      for (OfferedDevice each : offered(history, SERIAL))
        if (each.device().health().isHealthy())
          assertThat(found).as("step %d", step).contains(well(each.device().id().value()));
      assertNothingChangesBefore(history.nextChange(PATIENCE), history, scan, now);
    }
  }

  private static void assertNothingChangesBefore(
      Optional<Instant> next, DeviceHistory history, Scan scan, Instant now) {
    Instant stillSame = next.map(at -> at.minusNanos(1)).orElse(now.plus(Duration.ofDays(1)));
    assertThat(history.after(scan, stillSame, PATIENCE).offered()).isEqualTo(history.offered());
    next.ifPresent(at ->
        assertThat(history.after(scan, at, PATIENCE).offered()).isNotEqualTo(history.offered()));
  }

  @Test
  void saysWhyADeviceIsNotWell() {
    assertThat(reason(after("0:well 10:absent"))).isEqualTo("/dev/tty is gone");
    assertThat(reason(after("0:well 10:broken"))).isEqualTo("it smokes");
    assertThat(reason(after("0:broken 10:well 20:broken 30:well")))
        .isEqualTo("flapping: held back until it was well for 10 s");
  }

  @Test
  void namesAVanishedDeviceByAllItsPathsOrNotAtAll() {
    OfferedDevice sound = with(Device.healthy("a"), "/dev/snd/pcm", "/dev/snd/timer");
    assertThat(reason(twoScans(scan(SERIAL, sound), scan(SERIAL))))
        .isEqualTo("/dev/snd/pcm, /dev/snd/timer is gone");
    assertThat(reason(twoScans(scan(SERIAL, with(Device.healthy("a"))), scan(SERIAL))))
        .isEqualTo("the device is gone");
  }

  @Test
  void aNewReasonReplacesTheOldOne() {
    OfferedDevice first = with(Device.unhealthy("a", "EIO"), "/dev/a");
    OfferedDevice second = with(Device.unhealthy("a", "ENXIO"), "/dev/a");
    assertThat(reason(twoScans(scan(SERIAL, first), scan(SERIAL, second)))).isEqualTo("ENXIO");
  }

  @Test
  void takesPathsEditsAndNumaNodesFromTheNewestScanThatHadTheDevice() {
    OfferedDevice before = with(Device.healthy("stick"), "/dev/bus/usb/001/004");
    OfferedDevice replugged =
        with(
            new Device(DeviceId.of("stick"), Health.healthy(), new TreeSet<>(List.of(1))),
            "/dev/bus/usb/001/005");
    DeviceHistory history = twoScans(scan(SERIAL, before), scan(SERIAL, replugged));
    assertThat(offered(history, SERIAL)).containsExactly(replugged);

    DeviceHistory gone = history.after(scan(SERIAL), at(20), PATIENCE);
    OfferedDevice shown = offered(gone, SERIAL).getFirst();
    assertThat(shown.paths()).containsExactly("/dev/bus/usb/001/005");
    assertThat(shown.edits()).isEqualTo(replugged.edits());
    assertThat(shown.device().numaNodes()).containsExactly(1);
  }

  @Test
  void aDeviceThatMovesToAnotherResourceIsGoneInTheFirst() {
    DeviceHistory history = twoScans(scan(SERIAL, well("a")), scan(CAMERA, well("a")));
    assertThat(offered(history, SERIAL).getFirst().device().health().isHealthy()).isFalse();
    assertThat(offered(history, CAMERA)).containsExactly(well("a"));
  }

  @Test
  void oneFlappingDeviceDoesNotDisturbItsNeighbours() {
    DeviceHistory history = DeviceHistory.EMPTY;
    for (int second = 0; second < 30; second++)
      history =
          history.after(
              scan(SERIAL, well("a"), second % 2 == 0 ? well("b") : broken("b"), well("c")),
              at(second),
              PATIENCE);
    assertThat(offered(history, SERIAL))
        .extracting(each -> each.device().health().isHealthy())
        .containsExactly(true, false, true);
  }

  @Test
  void listsResourcesByNameAndDevicesById() {
    DeviceHistory history =
        DeviceHistory.EMPTY.after(scan(SERIAL, well("b"), well("a")), at(0), PATIENCE);
    history = history.after(scan(CAMERA, well("z")), at(1), PATIENCE);
    assertThat(history.offered().keySet()).containsExactly(CAMERA, SERIAL);
    assertThat(offered(history, SERIAL))
        .extracting(each -> each.device().id().value())
        .containsExactly("a", "b");
  }

  @Test
  void keepsAnEmptyResourceThatTheScanNames() {
    assertThat(DeviceHistory.EMPTY.after(scan(SERIAL), at(0), PATIENCE).offered().keySet())
        .containsExactly(SERIAL);
    assertThat(after("0:well 10:absent 310:absent").offered().keySet()).containsExactly(SERIAL);
  }

  @Test
  void aResourceThatNoScanNamesAnyMoreGoesWithItsLastDevice() {
    DeviceHistory history = twoScans(scan(SERIAL, well("a")), scan(CAMERA));
    assertThat(history.offered().keySet()).containsExactly(CAMERA, SERIAL);
    assertThat(history.after(scan(CAMERA), at(310), PATIENCE).offered().keySet())
        .containsExactly(CAMERA);
  }

  @Test
  void isNotChangedByWhatFollows() {
    DeviceHistory before = after("0:well");
    before.after(scan(SERIAL), at(10), PATIENCE);
    assertThat(before).isEqualTo(after("0:well"));
    assertThatThrownBy(() -> before.resources().clear())
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void refusesAPatienceInWhichEverythingFlaps() {
    assertThatThrownBy(() -> new Patience(Duration.ZERO, 0, Duration.ZERO, Duration.ZERO))
        .hasMessage("flap-changes is 0; at least 1 is needed");
  }

  private static Instant at(int second) {
    return START.plusSeconds(second);
  }

  /// What is advertised of device `a` after each of these scans.
  private static String advertised(String scans) {
    DeviceHistory history = DeviceHistory.EMPTY;
    List<String> all = new ArrayList<>();
    for (String scan : scans.split(" ", -1)) {
      history = next(history, scan);
      all.add(offered(history, SERIAL).stream().map(each -> word(each)).findFirst().orElse("-"));
    }
    return String.join(" ", all);
  }

  private static DeviceHistory after(String scans) {
    DeviceHistory history = DeviceHistory.EMPTY;
    for (String scan : scans.split(" ", -1)) history = next(history, scan);
    return history;
  }

  private static DeviceHistory next(DeviceHistory history, String scan) {
    int colon = scan.indexOf(':');
    Scan found =
        switch (scan.substring(colon + 1)) {
          case "well" -> scan(SERIAL, well("a"));
          case "broken" -> scan(SERIAL, broken("a"));
          case "absent" -> scan(SERIAL);
          default -> throw new IllegalArgumentException(scan);
        };
    return history.after(found, at(Integer.parseInt(scan.substring(0, colon))), PATIENCE);
  }

  private static DeviceHistory twoScans(Scan first, Scan second) {
    return DeviceHistory.EMPTY.after(first, at(0), PATIENCE).after(second, at(10), PATIENCE);
  }

  private static List<OfferedDevice> offered(DeviceHistory history, ResourceName resource) {
    return history.offered().getOrDefault(resource, List.of());
  }

  private static String reason(DeviceHistory history) {
    return switch (offered(history, SERIAL).getFirst().device().health()) {
      case Health.Healthy _ -> "healthy";
      case Health.Unhealthy unhealthy -> unhealthy.reason();
    };
  }

  private static String word(OfferedDevice device) {
    return switch (device.device().health()) {
      case Health.Healthy _ -> "well";
      case Health.Unhealthy unhealthy ->
          unhealthy.reason().startsWith("flapping")
              ? "held"
              : unhealthy.reason().endsWith("is gone") ? "gone" : "broken";
    };
  }

  private static Scan scan(ResourceName resource, OfferedDevice... devices) {
    SequencedMap<ResourceName, List<OfferedDevice>> resources = new LinkedHashMap<>();
    resources.put(resource, List.of(devices));
    return new Scan(resources, List.of(), List.of());
  }

  private static OfferedDevice well(String id) {
    return with(Device.healthy(id), "/dev/tty");
  }

  private static OfferedDevice broken(String id) {
    return with(Device.unhealthy(id, "it smokes"), "/dev/tty");
  }

  private static OfferedDevice with(Device device, String... paths) {
    ContainerEdits edits = ContainerEdits.NONE;
    for (String path : paths) edits = edits.and(ContainerEdits.ofNode(path, "rw"));
    return new OfferedDevice(device, List.of(paths), edits);
  }
}
