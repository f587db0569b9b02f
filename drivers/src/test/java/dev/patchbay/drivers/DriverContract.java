package dev.patchbay.drivers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.patchbay.host.HostArchive;
import dev.patchbay.host.HostArchive.Directory;
import dev.patchbay.host.HostArchive.Entry;
import dev.patchbay.host.HostArchive.Failing;
import dev.patchbay.host.HostArchive.Link;
import dev.patchbay.host.HostArchive.Node;
import dev.patchbay.host.HostArchive.TextFile;
import dev.patchbay.host.HostRoot;
import dev.patchbay.host.Stat;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.ResourceName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What holds for every driver. Extend it with a driver and a machine that the driver knows.
///
/// The machine is then broken in all places and many ways. What is asked of a scan of a broken
/// machine: it does not throw, and one broken file, link, node or attribute costs one device at
/// most.
public abstract class DriverContract {
  private static final Stat DEV_NULL = new Stat(Stat.Kind.CHARACTER_DEVICE, 1, 3, 0666);

  @TempDir private Path dir = Path.of("/nonexistent");

  /// The driver, configured so that it offers devices of all its kinds on [#machine].
  protected abstract Driver driver(HostRoot host);

  /// An archive of a machine with at least two healthy devices, none of which shares a file with
  /// another one, and without anything that fails to be read or opened.
  protected abstract String machine();

  // --- what a scan says

  @Test
  void hasANameAsInTheConfiguration() {
    assertThat(driver(healthyMachine()).name()).matches("[a-z][a-z0-9]*(-[a-z0-9]+)*");
  }

  @Test
  void offersHealthyDevices() throws Exception {
    assertThat(healthyUnits(scan(healthyMachine()))).hasSizeGreaterThanOrEqualTo(2);
  }

  @Test
  void seesTheSameWhenItLooksTwice() throws Exception {
    Driver driver = driver(healthyMachine());
    assertSame(driver.scan(), driver.scan());
  }

  @Test
  void seesTheSameAfterARestart() throws Exception {
    assertSame(scan(healthyMachine()), scan(healthyMachine()));
  }

  @Test
  void seesTheSameOnALiveMachineAsInItsArchive() throws Exception {
    assertSame(scan(LiveMachine.unpack(dir, machine())), scan(healthyMachine()));
  }

  private static void assertSame(Scan one, Scan other) {
    assertThat(one).isEqualTo(other);
    assertThat(one.resources().keySet()).containsExactlyElementsOf(other.resources().keySet());
  }

  @Test
  void answersWithValuesThatNobodyCanChange() throws Exception {
    Scan scan = scan(healthyMachine());
    assertUnmodifiable(scan.notOffered());
    assertUnmodifiable(scan.problems());
    assertUnmodifiable(scan.resources().keySet());
    scan.resources().values().forEach(DriverContract::assertUnmodifiable);
  }

  private static void assertUnmodifiable(Collection<?> values) {
    try {
      values.clear();
    } catch (UnsupportedOperationException e) {
      return;
    }
    throw new AssertionError("can be changed: " + values);
  }

  // --- what a device needs

  @Test
  void aDevicesOwnEditsAreWhatTheDriverGivesForItAlone() throws Exception {
    Driver driver = driver(healthyMachine());
    for (Offer offer : offers(driver.scan()))
      assertThat(driver.edits(offer.resource(), List.of(offer.device())))
          .as("%s", offer)
          .isEqualTo(offer.device().edits());
  }

  @Test
  void editsNameNodesAndFilesOfTheirDeviceOnlyByTheirRealPaths() throws Exception {
    HostRoot host = healthyMachine();
    for (Offer offer : offers(scan(host))) {
      Set<String> own =
          offer.device().paths().stream()
              .map(path -> host.resolve(path).orElse("nothing at " + path))
              .collect(Collectors.toSet());
      assertThat(hostPaths(offer.device().edits())).as("%s", offer).isSubsetOf(own);
    }
  }

  @Test
  void editsNamePlacesInTheContainer() throws Exception {
    for (Offer offer : offers(scan(healthyMachine()))) {
      ContainerEdits edits = offer.device().edits();
      assertThat(edits).as("%s", offer).isNotEqualTo(ContainerEdits.NONE);
      assertThat(containerPaths(edits))
          .as("%s", offer)
          .allSatisfy(path -> assertThat(path).startsWith("/").doesNotContain("//", "/../"))
          .doesNotHaveDuplicates();
    }
  }

  @Test
  void allDevicesOfAResourceTogetherGetWhatEachOfThemNeeds() throws Exception {
    Driver driver = driver(healthyMachine());
    for (var entry : driver.scan().resources().entrySet()) {
      if (entry.getValue().isEmpty()) continue;
      Set<String> needed = new HashSet<>();
      entry.getValue().forEach(device -> needed.addAll(hostPaths(device.edits())));
      ContainerEdits together = driver.edits(entry.getKey(), entry.getValue());
      assertThat(hostPaths(together))
          .as("%s", entry.getKey())
          .containsExactlyInAnyOrderElementsOf(needed);
    }
  }

  // --- what is watched

  @Test
  void watchesTheDirectoryOfEachPathOfADevice() throws Exception {
    HostRoot host = LiveMachine.unpack(dir, machine());
    Driver driver = driver(host);
    Set<Path> watched = driver.watchedDirectories();
    for (Offer offer : offers(driver.scan()))
      for (String path : offer.device().paths())
        assertThat(watched).as("%s", offer).contains(parent(host.livePath(path).orElseThrow()));
  }

  @Test
  void watchesOnAnEmptyMachineWhereItsDirectoriesWouldAppear() throws Exception {
    Path empty = Files.createDirectory(dir.resolve("empty"));
    Path full = Files.createDirectory(dir.resolve("full"));
    Set<Path> onEmpty = driver(HostRoot.of(empty)).watchedDirectories();
    Set<Path> onFull = driver(LiveMachine.unpack(full, machine())).watchedDirectories();
    assertThat(onEmpty)
        .isNotEmpty()
        .allSatisfy(watched -> assertThat(watched).isAbsolute().startsWithRaw(empty));
    assertThat(onFull)
        .allSatisfy(watched -> {
          Path wouldBe = empty.resolve(full.relativize(watched));
          assertThat(onEmpty).as("%s", watched).anyMatch(wouldBe::startsWith);
        });
  }

  @Test
  void watchesNothingOfAMachineInAnArchive() {
    assertThat(driver(healthyMachine()).watchedDirectories()).isEmpty();
  }

  // --- machines that are not as they should be

  @Test
  void offersNothingOnAnEmptyMachine() throws Exception {
    assertThat(healthyUnits(assertSound(HostRoot.of(dir)))).isEmpty();
    assertThat(healthyUnits(assertSound(archive(List.of())))).isEmpty();
  }

  @TestFactory
  Stream<DynamicTest> oneBrokenEntryCostsOneDeviceAtMost() throws Exception {
    Set<Unit> all = healthyUnits(scan(healthyMachine()));
    return entries().stream()
        .flatMap(entry ->
            breakages().stream()
                .map(breakage ->
                    dynamicTest(
                        entry.path() + " " + breakage.name(),
                        () -> {
                          Set<Unit> lost = new HashSet<>(all);
                          lost.removeAll(healthyUnits(assertSound(broken(entry, breakage))));
                          assertThat(lost).hasSizeLessThanOrEqualTo(1);
                        })));
  }

  @TestFactory
  Stream<DynamicTest> survivesADirectoryThatIsNone() {
    return directories().stream()
        .flatMap(directory ->
            breakages().stream()
                .map(breakage ->
                    dynamicTest(
                        directory + " " + breakage.name(),
                        () -> assertSound(brokenDirectory(directory, breakage)))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "nonsense\n", "-1\n", "99999999999999999999\n", "\u0000\n", "../..\n"})
  void survivesThatAllFilesSayNonsense(String text) throws Exception {
    assertSound(
        archive(
            entries().stream()
                .map(entry -> entry instanceof TextFile ? new TextFile(entry.path(), text) : entry)
                .toList()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"dev", "sys", "proc"})
  void survivesALiveMachineWithAFileInPlaceOfADirectory(String directory) throws Exception {
    LiveMachine.unpack(dir, machine());
    Path replaced = dir.resolve(directory);
    if (Files.exists(replaced)) Files.move(replaced, dir.resolve("away"));
    Files.writeString(replaced, "");
    assertSound(HostRoot.of(dir));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"with blank", "-rf", "*", "[", "\\", "größe", "new\nline", "\u0007", "=+:"})
  void survivesOddNamesNextToItsDevices(String odd) throws Exception {
    HostRoot host = LiveMachine.unpack(dir, machine());
    Set<Unit> before = healthyUnits(scan(host));
    for (String directory : directories())
      LiveMachine.makeNode(dir.resolve(directory.substring(1)).resolve(odd), 1, 3);
    assertThat(healthyUnits(assertSound(host))).containsAll(before);
  }

  /// Scans and checks what holds on any machine.
  private Scan assertSound(HostRoot host) throws Exception {
    Driver driver = driver(host);
    Scan scan = driver.scan();
    scan.resources()
        .forEach((resource, devices) -> {
          List<Device> list = devices.stream().map(OfferedDevice::device).toList();
          assertThat(list).as("ids of %s", resource).isSorted();
          assertThat(list.stream().map(each -> each.id().value()))
              .as("ids of %s", resource)
              .doesNotHaveDuplicates()
              .allSatisfy(id -> assertThat(id).hasSizeLessThanOrEqualTo(63));
        });
    for (Scan.Problem problem : scan.problems()) assertReadable(problem.path(), problem.why());
    for (Scan.NotOffered each : scan.notOffered()) assertReadable(each.path(), each.why());
    assertThat(scan.problems()).as("each problem once").doesNotHaveDuplicates();
    assertThat(scan.notOffered()).as("each once").doesNotHaveDuplicates();
    assertThat(driver.watchedDirectories()).allSatisfy(watched -> assertThat(watched).isAbsolute());
    return scan;
  }

  private static void assertReadable(String path, String why) {
    assertThat(path).isNotBlank();
    assertThat(why).isNotBlank().doesNotContain("\n").doesNotContain("null");
  }

  /// A way to break an entry.
  ///
  /// @param inPlace what is there instead, if anything
  private record Breakage(String name, Function<String, Optional<Entry>> inPlace) {
    static Breakage of(String name, Function<String, Entry> inPlace) {
      return new Breakage(name, path -> Optional.of(inPlace.apply(path)));
    }
  }

  private static List<Breakage> breakages() {
    return List.of(
        new Breakage("is missing", _ -> Optional.empty()),
        Breakage.of("is an empty file", path -> new TextFile(path, "")),
        Breakage.of("is a file of nonsense", path -> new TextFile(path, "nonsense\n")),
        Breakage.of("is a huge file", path -> new TextFile(path, "7".repeat(1 << 20) + "\n")),
        Breakage.of("fails with EIO", path -> new Failing(path, "EIO")),
        Breakage.of("fails with EACCES", path -> new Failing(path, "EACCES")),
        Breakage.of("is an empty directory", Directory::new),
        Breakage.of("is another device", path -> new Node(path, DEV_NULL, Optional.empty())),
        Breakage.of("cannot be opened", path -> new Node(path, DEV_NULL, Optional.of("ENXIO"))),
        Breakage.of("is a link to nothing", path -> new Link(path, "nothing")),
        Breakage.of("is a link to itself", path -> new Link(path, path)),
        Breakage.of("is a link to the root", path -> new Link(path, "/")),
        Breakage.of("is a link out", path -> new Link(path, "/../../../../etc/passwd")));
  }

  private HostRoot broken(Entry entry, Breakage breakage) {
    List<Entry> entries = new ArrayList<>(entries());
    entries.remove(entry);
    breakage.inPlace().apply(entry.path()).ifPresent(entries::add);
    return archive(entries);
  }

  private HostRoot brokenDirectory(String directory, Breakage breakage) {
    List<Entry> entries = new ArrayList<>(entries());
    entries.removeIf(entry -> entry.path().startsWith(directory + "/"));
    breakage.inPlace().apply(directory).ifPresent(entries::add);
    return archive(entries);
  }

  private List<Entry> entries() {
    return HostArchive.parse("machine", machine()).entries();
  }

  private Set<String> directories() {
    Set<String> directories = new TreeSet<>();
    for (Entry entry : entries())
      for (int slash = entry.path().indexOf('/', 1);
          slash > 0;
          slash = entry.path().indexOf('/', slash + 1))
        directories.add(entry.path().substring(0, slash));
    return directories;
  }

  private static HostRoot archive(List<Entry> entries) {
    return HostRoot.ofArchive("machine", new HostArchive("composed", entries).text());
  }

  private HostRoot healthyMachine() {
    return HostRoot.ofArchive("machine", machine());
  }

  private Scan scan(HostRoot host) throws Exception {
    return driver(host).scan();
  }

  /// An offered device with its resource.
  private record Offer(ResourceName resource, OfferedDevice device) {}

  private static List<Offer> offers(Scan scan) {
    List<Offer> offers = new ArrayList<>();
    scan.resources()
        .forEach((resource, devices) ->
            devices.forEach(device -> offers.add(new Offer(resource, device))));
    assertThat(offers).isNotEmpty();
    return offers;
  }

  /// All copies of one device.
  private record Unit(ResourceName resource, List<String> paths) {}

  private static Set<Unit> healthyUnits(Scan scan) {
    return scan.resources().entrySet().stream()
        .flatMap(entry ->
            entry.getValue().stream()
                .filter(each -> each.device().health().isHealthy())
                .map(each -> new Unit(entry.getKey(), each.paths())))
        .collect(Collectors.toSet());
  }

  private static List<String> hostPaths(ContainerEdits edits) {
    return Stream.concat(
            edits.deviceNodes().stream().map(ContainerEdits.DeviceNode::hostPath),
            edits.mounts().stream().map(ContainerEdits.Mount::hostPath))
        .toList();
  }

  private static List<String> containerPaths(ContainerEdits edits) {
    return Stream.concat(
            edits.deviceNodes().stream().map(ContainerEdits.DeviceNode::containerPath),
            edits.mounts().stream().map(ContainerEdits.Mount::containerPath))
        .toList();
  }

  private static Path parent(Path path) {
    return Objects.requireNonNull(path.getParent());
  }
}
