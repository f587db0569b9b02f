package dev.patchbay.oci;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/// An OCI runtime, used by its command line, which `runc`, `crun` and others share.
///
/// Thread-safe for different containers; one container has one caller at a time.
public final class OciRuntime {
  /// `$1` bundle, `$2` runtime, `$3` its root, `$4` container, `$5` log.
  private static final String SHIM =
      """
      echo $$ > "$1/shim.pid"
      "$2" --root "$3" --log "$1/runtime.log" --log-format json \
        run --bundle "$1" --pid-file "$1/pid" "$4" >>"$5" 2>&1 </dev/null
      echo $? > "$1/exit.new" && mv "$1/exit.new" "$1/exit"
      """;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,250}");
  private static final Duration CREATE_TIMEOUT = Duration.ofSeconds(30);

  private final Path program;
  private final Path root;

  /// @param program absolute path of the runtime
  /// @param root absolute path of the directory where the runtime keeps its state; made when
  ///   missing
  public OciRuntime(Path program, Path root) {
    this.program = program;
    this.root = root;
  }

  /// Looks for a runtime, and whether this process may use it.
  ///
  /// @param nameOrPath name to be found in `PATH`, or absolute path; when empty, `runc` and then
  ///   `crun`
  public static RuntimeAvailability find(Optional<String> nameOrPath) {
    return RuntimeSearch.ofThisMachine().find(nameOrPath);
  }

  /// Starts the container of this bundle and waits until it runs. An earlier container of the same
  /// name must have been deleted.
  ///
  /// @return [ContainerStatus.Running], or what became of it already
  /// @throws IOException when the shell cannot be started, or the runtime does not come to an end
  /// @throws InterruptedException after the container was started: an interrupt does not cut a
  ///   start short, since a half-made container would be nobody's
  public ContainerStatus run(String id, Bundle bundle) throws IOException, InterruptedException {
    if (!ID.matcher(id).matches()) throw new IllegalArgumentException("container id: " + id);
    Files.createDirectories(root);
    try (WatchService watch = bundle.directory().getFileSystem().newWatchService()) {
      bundle.directory().register(watch, StandardWatchEventKinds.ENTRY_CREATE);
      new ProcessBuilder(
              "setsid",
              "sh",
              "-c",
              SHIM,
              "patchbay-shim",
              bundle.directory().toString(),
              program.toString(),
              root.toString(),
              id,
              bundle.log().toString())
          .directory(bundle.directory().toFile())
          .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
      awaitFile(watch, bundle, id);
    }
    return status(id, bundle);
  }

  private static void awaitStart(String id, Bundle bundle) throws IOException {
    try (WatchService watch = bundle.directory().getFileSystem().newWatchService()) {
      bundle.directory().register(watch, StandardWatchEventKinds.ENTRY_CREATE);
      awaitFile(watch, bundle, id);
    }
  }

  /// What became of the container.
  public ContainerStatus status(String id, Bundle bundle) throws IOException, InterruptedException {
    Optional<Integer> exitCode = number(bundle.exitFile());
    Optional<Integer> pid = number(bundle.pidFile());
    if (exitCode.isPresent())
      return pid.isPresent()
          ? new ContainerStatus.Ended(exitCode.get())
          : new ContainerStatus.NotStarted(whyNotStarted(bundle));
    if (pid.isEmpty()) {
      if (shim(bundle).isEmpty()) return new ContainerStatus.Absent();
      awaitStart(id, bundle); // another process began to start it
      return status(id, bundle);
    }
    Optional<JsonNode> state = state(id);
    if (state.isPresent() && !state.get().path("status").asText().equals("stopped"))
      return new ContainerStatus.Running(state.get().path("pid").asLong());
    // Ended since the file was looked for, or nobody saw its end.
    if (shim(bundle).isPresent()) within(whenEnded(id, bundle), CREATE_TIMEOUT);
    return new ContainerStatus.Ended(number(bundle.exitFile()).orElse(-1));
  }

  /// Completes when the container has ended and its exit status is known, or cannot be known any
  /// more; also for a container that another process started.
  public CompletableFuture<Void> whenEnded(String id, Bundle bundle)
      throws IOException, InterruptedException {
    Optional<ProcessHandle> process = shim(bundle);
    if (process.isEmpty())
      process =
          state(id)
              .filter(OciRuntime::isAlive)
              .flatMap(state -> ProcessHandle.of(state.path("pid").asLong()));
    return process
        .map(handle -> handle.onExit().<Void>thenApply(ended -> null))
        .orElseGet(() -> CompletableFuture.completedFuture(null));
  }

  /// Sends a signal to the container's first process. Nothing happens when it has ended.
  ///
  /// @param signal `TERM`, `KILL`
  public void kill(String id, String signal) throws IOException, InterruptedException {
    Output output = call("kill", id, signal);
    if (output.exitCode != 0 && state(id).filter(OciRuntime::isAlive).isPresent())
      throw new IOException(
          "cannot send " + signal + " to container " + id + ": " + output.reason());
  }

  /// Ends the container: asks it, waits, and then kills it. Its bundle stays, the runtime forgets
  /// it.
  ///
  /// @param grace how long it has to end by itself
  public void stop(String id, Bundle bundle, Duration grace)
      throws IOException, InterruptedException {
    CompletableFuture<Void> ended = whenEnded(id, bundle);
    if (!grace.isZero() && state(id).filter(OciRuntime::isAlive).isPresent()) {
      kill(id, "TERM");
      if (!within(ended, grace)) kill(id, "KILL");
    }
    delete(id);
    if (!within(ended, CREATE_TIMEOUT))
      throw new IOException("container " + id + " was killed and does not end");
  }

  /// Kills the container if it runs, and removes what the runtime keeps of it: state and cgroups.
  public void delete(String id) throws IOException, InterruptedException {
    Output output = call("delete", "--force", id);
    if (output.exitCode != 0 && state(id).isPresent())
      throw new IOException("cannot delete container " + id + ": " + output.reason());
  }

  private Optional<JsonNode> state(String id) throws IOException, InterruptedException {
    Output output = call("state", id);
    return output.exitCode == 0 ? Optional.of(JSON.readTree(output.text)) : Optional.empty();
  }

  private static boolean isAlive(JsonNode state) {
    return !state.path("status").asText().equals("stopped");
  }

  private Output call(String... command) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(List.of(program.toString(), "--root", root.toString()));
    line.addAll(List.of(command));
    Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Output(process.waitFor(), text);
  }

  private record Output(int exitCode, String text) {
    String reason() {
      return text.strip().lines().reduce((first, last) -> last).orElse("exit status " + exitCode);
    }
  }

  private static void awaitFile(WatchService watch, Bundle bundle, String id) throws IOException {
    boolean interrupted = false;
    try {
      while (!Files.exists(bundle.pidFile()) && !Files.exists(bundle.exitFile())) {
        try {
          WatchKey key = watch.poll(CREATE_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
          if (key == null)
            throw new IOException(
                "container " + id + " was not started in " + CREATE_TIMEOUT.toSeconds() + " s");
          key.pollEvents();
          key.reset();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) Thread.currentThread().interrupt();
    }
  }

  private static boolean within(CompletableFuture<Void> ended, Duration atMost)
      throws InterruptedException {
    try {
      ended.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("waiting for a process failed", e);
    }
  }

  /// The shell that waits for the container. A process that merely has its number now is told apart
  /// by its command line.
  private static Optional<ProcessHandle> shim(Bundle bundle) {
    try {
      Optional<Integer> pid = number(bundle.shimPidFile());
      if (pid.isEmpty()) return Optional.empty();
      byte[] commandLine = Files.readAllBytes(Path.of("/proc/" + pid.get() + "/cmdline"));
      boolean ours =
          List.of(new String(commandLine, StandardCharsets.UTF_8).split("\0", -1))
              .contains(bundle.directory().toString());
      return ours ? ProcessHandle.of(pid.get()) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty(); // no such process
    }
  }

  private static Optional<Integer> number(Path file) throws IOException {
    try {
      return Optional.of(Integer.valueOf(Files.readString(file).strip()));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (NumberFormatException e) {
      throw new IOException(file + " does not hold a number", e);
    }
  }

  /// The last error that the runtime wrote to its log.
  private static String whyNotStarted(Bundle bundle) throws IOException {
    String why = "the runtime gave no reason";
    if (!Files.exists(bundle.runtimeLog())) return why;
    for (String line : Files.readAllLines(bundle.runtimeLog())) {
      JsonNode entry = JSON.readTree(line);
      if (entry.path("level").asText().equals("error")) why = entry.path("msg").asText();
    }
    return why;
  }
}
