package dev.patchbay.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/// A mount and a process namespace in which a kubelet and what it needs find their usual paths, and
/// which goes as a whole, processes and control groups included: see the script `interop/node`.
final class PrivatePlace {
  private static final Path ROOT = Path.of(property("patchbay.root"));
  private static final Path PARTS = Path.of(property("patchbay.interop.parts"));

  private final Path dir;
  private final Path logs;
  private final Process keeper;
  private final long first;
  private final AtomicInteger started = new AtomicInteger();

  private PrivatePlace(Path dir, Path logs, Process keeper, long first) {
    this.dir = dir;
    this.logs = logs;
    this.keeper = keeper;
    this.first = first;
  }

  static String property(String name) {
    return Objects.requireNonNull(System.getProperty(name), name + " is set by scripts/interop");
  }

  /// The folder in which the logs of the place of this name stay.
  static Path logs(String name) {
    return ROOT.resolve("interop/target/interop").resolve(name);
  }

  /// Makes a place.
  ///
  /// @param name the folder below `interop/target` in which the logs stay
  static PrivatePlace open(String name) throws IOException {
    return open(name, false);
  }

  /// Makes a place that has a network of its own, too.
  static PrivatePlace openWithNetwork(String name) throws IOException {
    return open(name, true);
  }

  private static PrivatePlace open(String name, boolean network) throws IOException {
    Path logs = Files.createDirectories(logs(name));
    // Short, since sockets are bound in it.
    Path dir = Files.createTempDirectory(Path.of("/tmp"), "pbi");
    Process keeper =
        new ProcessBuilder(
                ROOT.resolve("interop/node").toString(), dir.toString(), network ? "network" : "")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader answer = keeper.inputReader(StandardCharsets.UTF_8);
    if (!Objects.equals(answer.readLine(), "ready"))
      throw new IOException("interop/node made no namespace: see its error above");
    long first = keeper.children().flatMap(ProcessHandle::children).findFirst().orElseThrow().pid();
    return new PrivatePlace(dir, logs, keeper, first);
  }

  /// The directory that belongs to the place, on both sides the same.
  Path dir() {
    return dir;
  }

  /// Writes a file of the place in one step.
  void write(String file, String text) throws IOException {
    Path target = dir.resolve(file);
    Path draft = Files.writeString(dir.resolve("draft"), text);
    Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
  }

  /// Where it puts its containers, below each hierarchy of control groups.
  String controlGroup() {
    return "/patchbay-interop-" + dir.getFileName();
  }

  /// One of the programs that `interop/parts` makes.
  static String part(String name) {
    return PARTS.resolve(name).toString();
  }

  /// Starts a program inside.
  Daemon start(String name, String... command) throws IOException {
    Path log = logs.resolve("%02d-%s.log".formatted(started.incrementAndGet(), name));
    Process entered =
        inside(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.to(log.toFile()))
            .start();
    Optional<ProcessHandle> program =
        Awaitility.await(name)
            .until(
                () -> entered.children().findFirst(), it -> it.isPresent() || !entered.isAlive());
    return new Daemon(
        entered,
        program.orElseThrow(() -> new IOException(name + " ended at once; see " + log)),
        log);
  }

  /// Starts a program of ours inside, with this one's Java and class path.
  Daemon startJava(String name, Class<?> program, String... args) throws IOException {
    Stream<String> java =
        Stream.of(
            Path.of(property("java.home"), "bin/java").toString(),
            "-cp",
            property("java.class.path"),
            program.getName());
    return start(name, Stream.concat(java, Stream.of(args)).toArray(String[]::new));
  }

  /// Unpacks what the containers' image has.
  ///
  /// @return the root directory of it, the same on both sides
  Path unpackImage(String name) throws IOException, InterruptedException {
    Path root = Files.createDirectory(dir.resolve(name));
    run("sh", "-c", "tar -xOf %s layer.tar | tar -x -C %s".formatted(part("image"), root));
    return root;
  }

  /// Runs a program inside to its end.
  ///
  /// @throws IOException when it fails; with its output
  String run(String... command) throws IOException, InterruptedException {
    Process entered = inside(command).redirectErrorStream(true).start();
    String output = new String(entered.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int status = entered.waitFor();
    if (status != 0)
      throw new IOException(String.join(" ", command) + " ended with " + status + ": " + output);
    return output;
  }

  private ProcessBuilder inside(String... command) {
    List<String> all = new ArrayList<>();
    all.addAll(List.of("nsenter", "-t", String.valueOf(first), "-m", "-n", "-p", "--"));
    all.addAll(List.of(command));
    var builder = new ProcessBuilder(all);
    builder.environment().put("PATH", PARTS + ":/usr/sbin:/usr/bin:/sbin:/bin");
    builder.environment().put("HOME", dir.toString());
    return builder;
  }

  /// Ends everything in the place and removes it.
  void end() throws IOException, InterruptedException {
    keeper.getOutputStream().close();
    if (!keeper.waitFor(60, TimeUnit.SECONDS))
      throw new IOException("interop/node does not end; left behind: " + dir);
    if (keeper.exitValue() != 0 || Files.exists(dir))
      throw new IOException("interop/node left something behind: see its error above");
  }
}
