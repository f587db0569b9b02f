package dev.patchbay.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// This program, started once more as a process of its own, with its output in a file.
final class Part implements AutoCloseable {
  private final String name;
  private final Path log;
  private final Process process;

  private Part(String name, Path log, Process process) {
    this.name = name;
    this.log = log;
    this.process = process;
  }

  /// Starts `patchbay args…`; its output is appended to the log.
  static Part start(String name, Path log, List<String> args) throws IOException {
    List<String> command = new ArrayList<>(ownCommand());
    command.addAll(args);
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    return new Part(name, log, process);
  }

  /// The start script of the distribution, or this JVM with this class path when it was not started
  /// by one.
  private static List<String> ownCommand() {
    Optional<String> script =
        Optional.ofNullable(System.getProperty("patchbay.script")).filter(path -> !path.isEmpty());
    return script
        .map(List::of)
        .orElseGet(() ->
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Patchbay.class.getName()));
  }

  String name() {
    return name;
  }

  boolean is(String other) {
    return name.equals(other);
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /// What it wrote last, for a message about its failure.
  String lastWords() {
    try {
      List<String> lines = Files.readAllLines(log);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
    } catch (IOException e) {
      return "(" + Failed.textOf(e) + ")";
    }
  }

  /// Ends it with SIGKILL, as a crash would.
  void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }

  /// Ends it with SIGTERM and waits.
  ///
  /// @throws Failed when it does not end within ten seconds, or not with the status of a clean end
  void stop() throws InterruptedException, Failed {
    process.destroy();
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      kill();
      throw new Failed("the " + name + " did not end within 10 s of SIGTERM:\n" + lastWords());
    }
    if (process.exitValue() != 0)
      throw new Failed(
          "the " + name + " ended with status " + process.exitValue() + ":\n" + lastWords());
  }

  @Override
  public void close() {
    try {
      kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
