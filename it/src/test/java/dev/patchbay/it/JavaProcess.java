package dev.patchbay.it;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/// A Java program in a process of its own, with this one's class path. Its heap is made as a whole
/// at the start, so that its resident memory grows by leaks alone.
record JavaProcess(Process process) implements AutoCloseable {
  private static final Duration END = Duration.ofSeconds(20);

  /// Its log is dropped, its standard output can be read.
  ///
  /// @param program a class with a `main`, or a source file that has one
  static JavaProcess start(String program, String... args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xms48m", "-Xmx48m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC"));
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp"));
    command.add(Objects.requireNonNull(System.getProperty("java.class.path")));
    command.add(program);
    command.addAll(List.of(args));
    return new JavaProcess(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start());
  }

  /// Asks the process to end, as `kill` and Kubernetes do, and waits until it has. May be called
  /// twice.
  ///
  /// @throws IOException when it does not; it is killed then
  @Override
  public void close() throws IOException {
    process.destroy();
    try {
      if (!process.waitFor(END.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException(
            process.info().commandLine() + " did not end within " + END + " after SIGTERM");
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
