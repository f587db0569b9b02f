package dev.patchbay.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A running agent.
///
/// @param startedAt just before the process was made, from [System#nanoTime]
record AgentProcess(Process process, long startedAt, Path log) implements AutoCloseable {
  private static final Duration END = Duration.ofSeconds(20);

  static AgentProcess start(
      Candidate candidate, Path config, Path hostRoot, Path kubeletDir, Path log)
      throws IOException {
    List<String> command = new ArrayList<>(candidate.command());
    command.addAll(List.of("--config", config.toString(), "--host-root", hostRoot.toString()));
    command.addAll(List.of("--kubelet-dir", kubeletDir.toString()));
    var builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    // Options from around would change what is measured.
    List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "PATCHBAY_JAVA_OPTS")
        .forEach(builder.environment()::remove);
    long startedAt = System.nanoTime();
    return new AgentProcess(builder.start(), startedAt, log);
  }

  ProcessFacts facts() throws IOException {
    return ProcessFacts.of(process.pid());
  }

  /// What happened to it, for a message: whether it runs, and the end of its log.
  String story() throws IOException {
    List<String> lines = Files.readAllLines(log);
    String end = String.join("\n", lines.subList(Math.max(0, lines.size() - 10), lines.size()));
    return (process.isAlive() ? "it runs" : "it ended with status " + process.exitValue())
        + "; its log ends:\n"
        + end;
  }

  /// Ends it by SIGTERM, and waits until it has ended.
  ///
  /// @throws IOException when it does not end; it is killed then
  @Override
  public void close() throws IOException {
    process.destroy();
    try {
      if (process.waitFor(END.toSeconds(), TimeUnit.SECONDS)) return;
      process.destroyForcibly();
      throw new IOException("the agent did not end within " + END + " after SIGTERM; " + story());
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
