package dev.patchbay.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The Go program of `interop/go/allocate`: one judge of all plugins, with gRPC as the kubelet has
/// it.
record GoClient(Path program) {
  /// How long the calls took.
  record Times(Duration p50, Duration p99, Duration max) {}

  /// Calls Allocate of the plugin on this socket, one call after the other.
  Times allocate(Path socket, int warmUp, int calls) throws IOException, InterruptedException {
    List<String> command =
        List.of(
            program.toString(),
            "-socket",
            socket.toString(),
            "-warm",
            "" + warmUp,
            "-calls",
            "" + calls);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0)
      throw new IOException(String.join(" ", command) + ": " + said.strip());
    return parse(said);
  }

  static Times parse(String json) throws IOException {
    return new Times(value("p50_us", json), value("p99_us", json), value("max_us", json));
  }

  private static Duration value(String name, String json) throws IOException {
    Matcher matcher = Pattern.compile("\"" + name + "\":([0-9.]+)").matcher(json);
    if (!matcher.find()) throw new IOException("no " + name + " in the answer " + json.strip());
    return Duration.ofNanos(Math.round(Double.parseDouble(matcher.group(1)) * 1_000));
  }
}
