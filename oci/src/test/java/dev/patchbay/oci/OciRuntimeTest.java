package dev.patchbay.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.cdi.CdiEdits;
import dev.patchbay.model.ContainerEdits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Real containers of the runtime of this machine.
@Timeout(60)
class OciRuntimeTest {
  private static final Duration GRACE = Duration.ofSeconds(10);

  @TempDir Path dir;
  private final String id = "patchbay-test-" + UUID.randomUUID();
  private OciRuntime runtime;
  private Bundle bundle;

  @BeforeEach
  void findRuntime() {
    runtime = RealRuntime.in(dir.resolve("runtime"));
    bundle = new Bundle(dir.resolve("bundle"));
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    runtime.delete(id);
    try (Stream<Path> hierarchies = Files.list(Path.of("/sys/fs/cgroup"))) {
      assertThat(hierarchies.map(hierarchy -> hierarchy.resolve(id))).noneMatch(Files::exists);
    }
  }

  @Test
  void onlyTheGrantedNodeCanBeOpened() throws Exception {
    List<HostNode> nodes = twoNodes();
    HostNode granted = nodes.get(0);
    HostNode other = nodes.get(1);
    String script =
        """
        : 3<>%s && echo granted: opened
        mknod /tmp/other c %d %d && echo other: made
        sh -c ': 3<>/tmp/other' && echo other: opened
        exit 7
        """
            .formatted(granted.path(), other.major(), other.minor());

    int exitCode =
        runToTheEnd(
            shell(script)
                .with(ContainerEdits.ofNode(granted.path().toString(), "rw"), CdiEdits.NONE));

    assertThat(Files.readString(bundle.log()))
        .contains("granted: opened", "other: made", "Operation not permitted")
        .doesNotContain("other: opened");
    assertThat(exitCode).isEqualTo(7);
  }

  @Test
  void aNodeGrantedForReadingCannotBeWritten() throws Exception {
    HostNode node = twoNodes().getFirst();
    runToTheEnd(
        shell(
                "ls /dev/given; sh -c ': 3</dev/given' && echo read; sh -c ': 3>/dev/given' && echo written")
            .with(
                ContainerEdits.NONE.and(
                    new ContainerEdits.DeviceNode(node.path().toString(), "/dev/given", "r")),
                CdiEdits.NONE));
    assertThat(Files.readString(bundle.log()))
        .contains("/dev/given", "read")
        .doesNotContain("written");
  }

  @Test
  void everythingElseThatWasGrantedIsThere() throws Exception {
    Path shared = Files.createDirectory(dir.resolve("shared"));
    Files.writeString(shared.resolve("hello"), "from the host");
    ContainerEdits edits =
        ContainerEdits.ofEnv("DEVICE", "a")
            .and(ContainerEdits.ofEnv("POD", "no"))
            .and(new ContainerEdits.Mount(shared.toString(), "/mnt/shared", true));
    CdiEdits cdi =
        new CdiEdits(
            List.of("CDI=b"),
            List.of(CdiEdits.DeviceNode.of(twoNodes().getFirst().path().toString())),
            List.of(new CdiEdits.Mount(shared.toString(), "/mnt/more", List.of("rw"), "")),
            List.of(
                new CdiEdits.Hook(
                    "createRuntime",
                    "/bin/touch",
                    List.of("touch", shared + "/hooked"),
                    List.of(),
                    5)),
            List.of(44),
            Map.of());
    BundleSpec spec =
        new BundleSpec(
            List.of(
                "sh",
                "-c",
                "echo $DEVICE $POD $CDI; cat /mnt/shared/hello; touch /mnt/shared/x; touch /mnt/more/y; id -G; pwd; hostname; ls "
                    + twoNodes().getFirst().path()),
            new LinkedHashMap<>(Map.of("POD", "yes")),
            "/tmp",
            "box",
            new BundleSpec.Root.HostPrograms(),
            edits,
            cdi,
            Map.of(),
            "/" + id);

    runToTheEnd(spec);

    assertThat(Files.readString(bundle.log()))
        .contains("a yes b", "from the host", "0 44", "/tmp\nbox\n", "Read-only file system");
    assertThat(shared.resolve("hooked")).exists();
    assertThat(shared.resolve("y")).exists();
    assertThat(shared.resolve("x")).doesNotExist();
  }

  @Test
  void theHostsProgramsCannotBeChanged() throws Exception {
    runToTheEnd(shell("touch /usr/x; touch /etc/x; touch /x; echo done"));
    assertThat(Files.readString(bundle.log()).lines().filter(l -> l.contains("Read-only")))
        .hasSize(3);
    assertThat(Path.of("/usr/x")).doesNotExist();
  }

  @Test
  void aContainerWithoutCommandRunsUntilItIsStopped() throws Exception {
    bundle.write(BundleSpec.of("/" + id, List.of()));
    ContainerStatus status = runtime.run(id, bundle);

    assertThat(status).isInstanceOf(ContainerStatus.Running.class);
    assertThat(runtime.status(id, bundle)).isEqualTo(status);
    assertThat(runtime.whenEnded(id, bundle)).isNotDone();
    long pid = ((ContainerStatus.Running) status).pid();
    // A shell that has just been started does not listen yet, and would be killed after the grace.
    Awaitility.await().until(() -> listensToTerm(pid));

    runtime.stop(id, bundle, GRACE);

    assertThat(runtime.status(id, bundle)).isEqualTo(new ContainerStatus.Ended(0));
    assertThat(ProcessHandle.of(pid)).isEmpty();
  }

  /// Whether SIGTERM, signal 15, is among those that the process catches.
  private static boolean listensToTerm(long pid) throws IOException {
    String caught =
        Files.readAllLines(Path.of("/proc", String.valueOf(pid), "status")).stream()
            .filter(line -> line.startsWith("SigCgt:"))
            .findFirst()
            .orElseThrow();
    return (Long.parseUnsignedLong(caught.substring("SigCgt:".length()).strip(), 16) >> 14 & 1)
        == 1;
  }

  @Test
  void aContainerThatDoesNotListenIsKilled() throws Exception {
    bundle.write(shell("trap '' TERM; sleep infinity & wait; sleep infinity"));
    runtime.run(id, bundle);

    runtime.stop(id, bundle, Duration.ofMillis(1));

    assertThat(runtime.status(id, bundle)).isEqualTo(new ContainerStatus.Ended(137));
  }

  @Test
  void anotherRuntimeValueFindsTheContainerAgain() throws Exception {
    bundle.write(BundleSpec.of("/" + id, List.of()));
    ContainerStatus status = runtime.run(id, bundle);

    OciRuntime later = RealRuntime.in(dir.resolve("runtime"));

    assertThat(later.status(id, new Bundle(bundle.directory()))).isEqualTo(status);
    later.stop(id, bundle, GRACE);
    later.whenEnded(id, bundle).get(10, TimeUnit.SECONDS);
    assertThat(later.status(id, bundle)).isEqualTo(new ContainerStatus.Ended(0));
  }

  @Test
  void anEndThatNobodySawIsSaid() throws Exception {
    bundle.write(BundleSpec.of("/" + id, List.of()));
    runtime.run(id, bundle);
    long shim = Long.parseLong(Files.readString(bundle.shimPidFile()).strip());
    ProcessHandle.of(shim).orElseThrow().descendants().forEach(ProcessHandle::destroyForcibly);
    ProcessHandle.of(shim).ifPresent(ProcessHandle::destroyForcibly);
    runtime.whenEnded(id, bundle).get(10, TimeUnit.SECONDS);
    Files.deleteIfExists(bundle.exitFile());
    runtime.delete(id);

    assertThat(runtime.status(id, bundle)).isEqualTo(new ContainerStatus.Ended(-1));
  }

  @Test
  void aProgramThatIsNotThereIsSaid() throws Exception {
    bundle.write(BundleSpec.of("/" + id, List.of("no-such-program")));

    assertThat(runtime.run(id, bundle))
        .isInstanceOfSatisfying(
            ContainerStatus.NotStarted.class,
            status -> assertThat(status.why()).contains("no-such-program", "not found"));
  }

  @Test
  void aNodeThatIsNotThereIsSaidBeforeAnythingRuns() {
    assertThatThrownBy(() ->
            bundle.write(
                shell("true").with(ContainerEdits.ofNode("/dev/none", "rw"), CdiEdits.NONE)))
        .isInstanceOf(IOException.class)
        .hasMessage("there is no device node /dev/none");
  }

  @Test
  void theSameContainerRunsAgain() throws Exception {
    runToTheEnd(shell("echo first"));
    runToTheEnd(shell("echo second"));
    assertThat(Files.readString(bundle.log())).isEqualTo("first\nsecond\n");
  }

  @Test
  void aRemovedBundleLeavesNothing() throws Exception {
    runToTheEnd(shell("true"));
    bundle.remove();
    assertThat(bundle.directory()).doesNotExist();
  }

  @Test
  void aBundleWithSomethingInItsRootIsNotRemoved() throws Exception {
    bundle.write(shell("true"));
    Path file = Files.writeString(bundle.directory().resolve("rootfs/file"), "something");
    assertThatThrownBy(() -> bundle.remove()).hasMessageContaining("is not empty");
    assertThat(file).exists();
  }

  private int runToTheEnd(BundleSpec spec) throws Exception {
    bundle.write(spec);
    runtime.run(id, bundle);
    runtime.whenEnded(id, bundle).get(30, TimeUnit.SECONDS);
    ContainerStatus status = runtime.status(id, bundle);
    runtime.delete(id);
    assertThat(status).isInstanceOf(ContainerStatus.Ended.class);
    return ((ContainerStatus.Ended) status).exitCode();
  }

  private BundleSpec shell(String script) {
    return BundleSpec.of("/" + id, List.of("sh", "-c", script));
  }

  /// Two nodes that can be opened without an effect.
  private static List<HostNode> twoNodes() throws IOException {
    List<HostNode> found = new ArrayList<>();
    for (String path : List.of("/dev/kvm", "/dev/fuse", "/dev/net/tun", "/dev/hwrng"))
      if (Files.exists(Path.of(path))) found.add(HostNode.read(Path.of(path)));
    if (found.size() < 2)
      RealRuntime.skip("this machine has fewer than two of kvm, fuse, tun, hwrng");
    return found;
  }
}
