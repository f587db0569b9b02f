package dev.patchbay.dist;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// A program of the building machine.
final class Command {
  private Command() {}

  /// Its standard output.
  ///
  /// @throws IOException also when it ends with another status than 0
  static String output(String... command) throws IOException, InterruptedException {
    return run(List.of(command))
        .orElseThrow(() -> new IOException(String.join(" ", command) + " failed"));
  }

  /// Its standard output, or nothing if it fails or is not there.
  static Optional<String> outputIfAny(String... command) throws IOException, InterruptedException {
    try {
      return run(List.of(command));
    } catch (IOException missing) {
      return Optional.empty();
    }
  }

  private static Optional<String> run(List<String> command)
      throws IOException, InterruptedException {
    var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("LC_ALL", "C");
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() == 0 ? Optional.of(output) : Optional.empty();
  }
}
