package dev.patchbay.it;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/// Patchbay as it is shipped: the start script of the distribution, in a process of its own.
///
/// @param log its standard output and error
record Shipped(Process process, Path log) implements AutoCloseable {
  private static final Path PROGRAM =
      Path.of(
          Objects.requireNonNull(
              System.getProperty("patchbay.home"), "patchbay.home is set by the build"),
          "bin/patchbay");
  private static final Duration END = Duration.ofMinutes(2);

  /// How a command ended.
  record Ended(int status, String output) {}

  /// Starts a daemon.
  static Shipped start(Path log, String... args) throws IOException {
    List<String> command = new ArrayList<>(List.of(PROGRAM.toString()));
    command.addAll(List.of(args));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    return new Shipped(process, log);
  }

  /// Runs a command to its end.
  static Ended run(Path log, String... args) throws IOException, InterruptedException {
    try (Shipped started = start(log, args)) {
      if (!started.process.waitFor(END.toSeconds(), TimeUnit.SECONDS))
        throw new IOException("did not end within " + END + ":\n" + Files.readString(log));
      return new Ended(
          started.process.exitValue(), new String(Files.readAllBytes(log), StandardCharsets.UTF_8));
    }
  }

  /// As `kill -9` does.
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /// As `kill` does.
  ///
  /// @return the exit status
  int terminate() throws InterruptedException {
    process.destroy();
    return process.waitFor();
  }

  /// As `kill -HUP` does.
  void hangUp() throws IOException, InterruptedException {
    int status =
        new ProcessBuilder("kill", "-HUP", String.valueOf(process.pid())).start().waitFor();
    if (status != 0) throw new IOException("kill -HUP ended with " + status);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  @Override
  public String toString() {
    try {
      return process + ":\n" + Files.readString(log);
    } catch (IOException e) {
      return process + ": " + e.getMessage();
    }
  }
}
