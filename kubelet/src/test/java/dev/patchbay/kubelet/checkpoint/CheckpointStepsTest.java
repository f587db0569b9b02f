package dev.patchbay.kubelet.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jdi.AbsentInformationException;
import com.sun.jdi.Bootstrap;
import com.sun.jdi.Location;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.VMDeathEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.ClassPrepareRequest;
import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A process that writes checkpoints is stopped before each line of the code that does it, and at
/// each stop the directory is looked at: that is what would be left if it were killed there.
@Timeout(120)
class CheckpointStepsTest {
  private static final long PATIENCE_MILLIS = 60_000;
  private static final String RESOURCE = "vendor.example/gpu";

  @TempDir private Path dir;
  @TempDir private Path copies;

  private Object fileSeen = "none";
  private Object draftSeen = "none";

  @Test
  void atNoStepIsThereAnythingButTheOldFileOrTheNewOne() throws Exception {
    List<String> seen = new ArrayList<>();
    VirtualMachine writer = writer();
    try {
      stopAtEachLine(writer);
      run(
          writer,
          location -> {
            String step =
                location.declaringType().name().equals(FileDescriptor.class.getName())
                    ? "sync"
                    : state();
            if (seen.isEmpty() || !seen.getLast().equals(step)) seen.add(step);
            assertUsableWhenKilledHere(seen.size());
          });
    } finally {
      writer.process().destroyForcibly();
    }

    assertThat(seen)
        .containsExactly(
            "nothing",
            "nothing, a draft of nothing",
            "nothing, a draft of 1",
            "sync",
            "nothing, a draft of 1",
            "1",
            "1, a draft of nothing",
            "1, a draft of 2",
            "sync",
            "1, a draft of 2",
            "2");
  }

  /// The kernel takes so much of the new file and no more, as on a full disk: by a limit of the
  /// process, in blocks of 512 bytes.
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 64})
  void aWriteThatStopsInTheMiddleLeavesTheOldFile(int blocks) throws Exception {
    Process process =
        new ProcessBuilder(
                "/bin/sh",
                "-c",
                "ulimit -f %d && exec \"$@\"".formatted(blocks),
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-cp",
                System.getProperty("java.class.path"),
                GrowingWriter.class.getName(),
                dir.toString())
            .redirectErrorStream(true)
            .start();
    List<String> said = process.inputReader().readAllLines();
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();

    assertThat(said).hasSize(2);
    int last = Integer.parseInt(said.getFirst());
    assertThat(last).isPositive();
    assertThat(said.getLast())
        .isEqualTo(
            "failed to write checkpoint file \"kubelet_internal_checkpoint\": File too large");
    assertThat(new CheckpointFile(dir).read()).contains(checkpoint(last, 1));
    try (Stream<Path> files = Files.list(dir)) {
      assertThat(files).as("no draft is left").hasSize(1);
    }
  }

  /// What is done at a stop.
  private interface Stop {
    void at(Location location) throws IOException;
  }

  private VirtualMachine writer() throws Exception {
    LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
    Map<String, Connector.Argument> arguments = connector.defaultArguments();
    argument(arguments, "options")
        .setValue(
            "-XX:TieredStopAtLevel=1 -cp \"%s\"".formatted(System.getProperty("java.class.path")));
    argument(arguments, "main").setValue(Writer.class.getName() + " " + dir);
    return connector.launch(arguments);
  }

  private static Connector.Argument argument(
      Map<String, Connector.Argument> arguments, String name) {
    return Objects.requireNonNull(arguments.get(name), name);
  }

  private static void stopAtEachLine(VirtualMachine writer) throws AbsentInformationException {
    ClassPrepareRequest loaded = writer.eventRequestManager().createClassPrepareRequest();
    loaded.addClassFilter(WholeFile.class.getName());
    loaded.enable();
    for (ReferenceType type : writer.classesByName(FileDescriptor.class.getName()))
      stopAt(writer, type.methodsByName("sync").getFirst().allLineLocations().getFirst());
  }

  private static void stopAt(VirtualMachine writer, Location location) {
    writer.eventRequestManager().createBreakpointRequest(location).enable();
  }

  private static void run(VirtualMachine writer, Stop stop) throws Exception {
    writer.resume();
    while (true) {
      EventSet events = writer.eventQueue().remove(PATIENCE_MILLIS);
      assertThat(events).as("within %d ms", PATIENCE_MILLIS).isNotNull();
      for (Event event : events)
        switch (event) {
          case ClassPrepareEvent loaded -> {
            for (Location line : loaded.referenceType().allLineLocations()) stopAt(writer, line);
          }
          case BreakpointEvent reached -> stop.at(reached.location());
          case VMDeathEvent _, VMDisconnectEvent _ -> {
            return;
          }
          default -> {}
        }
      events.resume();
    }
  }

  /// As `1, a draft of 2`: what the file says, and what lies beside it.
  private String state() throws IOException {
    String file = content(dir.resolve(CheckpointFile.NAME)).orElse("nothing");
    List<Path> drafts;
    try (Stream<Path> files = Files.list(dir)) {
      drafts = files.filter(each -> !each.endsWith(CheckpointFile.NAME)).toList();
    }
    assertThat(drafts).hasSizeLessThan(2);
    assertThat(identity(dir.resolve(CheckpointFile.NAME)))
        .as("the file is the one that it was, or the draft that there was, with another name")
        .isIn(fileSeen, draftSeen);
    fileSeen = identity(dir.resolve(CheckpointFile.NAME));
    if (!drafts.isEmpty()) draftSeen = identity(drafts.getFirst());
    return drafts.isEmpty()
        ? file
        : file + ", a draft of " + content(drafts.getFirst()).orElse("nothing");
  }

  private static Object identity(Path file) throws IOException {
    return Files.exists(file)
        ? Objects.requireNonNull(
            Files.readAttributes(file, BasicFileAttributes.class).fileKey(), "inode")
        : "none";
  }

  private static Optional<String> content(Path file) throws IOException {
    if (Files.notExists(file)) return Optional.empty();
    String text = Files.readString(file);
    if (text.isEmpty()) return Optional.empty();
    return Optional.of(
        Objects.requireNonNull(CheckpointFormat.read(text).entries()).getFirst().podUid());
  }

  /// Another process begins with what is there, and writes.
  private void assertUsableWhenKilledHere(int step) throws IOException {
    Path copy = copies.resolve(String.valueOf(step));
    if (Files.exists(copy)) return;
    Files.createDirectory(copy);
    try (Stream<Path> files = Files.list(dir)) {
      for (Path file : files.toList()) Files.copy(file, copy.resolve(file.getFileName()));
    }
    var next = new CheckpointFile(copy);
    assertThat(next.read())
        .isIn(Optional.empty(), Optional.of(checkpoint(1)), Optional.of(checkpoint(2)));
    next.write(checkpoint(3));
    assertThat(next.read()).contains(checkpoint(3));
  }

  private static Checkpoint checkpoint(int number) {
    return checkpoint(number, 1_000);
  }

  private static Checkpoint checkpoint(int number, int devices) {
    List<String> ids =
        IntStream.range(0, devices * number).mapToObj(i -> number + "-" + i).toList();
    var byNode = new TreeMap<Long, @Nullable List<String>>();
    byNode.put(-1L, ids);
    var registered = new TreeMap<String, @Nullable List<String>>();
    registered.put(RESOURCE, ids);
    return new Checkpoint(
        List.of(new Checkpoint.Entry(String.valueOf(number), "main", RESOURCE, byNode, "")),
        registered);
  }

  /// The process that is stopped.
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) throws IOException {
      var file = new CheckpointFile(Path.of(args[0]));
      file.write(checkpoint(1));
      file.write(checkpoint(2));
    }
  }

  /// The process that is limited: writes ever more until it cannot, and says how far it came.
  static final class GrowingWriter {
    private GrowingWriter() {}

    public static void main(String[] args) {
      var file = new CheckpointFile(Path.of(args[0]));
      for (int number = 1; ; number++)
        try {
          file.write(checkpoint(number, 1));
        } catch (IOException e) {
          System.out.println(number - 1);
          System.out.println(e.getMessage());
          return;
        }
    }
  }
}
