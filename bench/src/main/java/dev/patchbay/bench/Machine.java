package dev.patchbay.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/// Where it was measured.
///
/// @param memoryBytes `MemTotal`
/// @param load the machine's load of the last minute; see proc_loadavg(5)
record Machine(String cpu, int cores, long memoryBytes, String kernel, String jdk, double load) {
  static Machine here() throws IOException {
    return new Machine(
        value(Path.of("/proc/cpuinfo"), "model name", System.getProperty("os.arch")),
        Runtime.getRuntime().availableProcessors(),
        Long.parseLong(value(Path.of("/proc/meminfo"), "MemTotal", "0 kB").replaceAll("[^0-9]", ""))
            * 1024,
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        System.getProperty("java.vendor.version") + " (" + Runtime.version() + ")",
        Double.parseDouble(Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0]));
  }

  /// The value of the first line with this key; arm64 has no model name of its processors.
  private static String value(Path file, String key, String otherwise) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith(key))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(otherwise);
    }
  }

  /// Whether others use so much of the machine that times say little.
  boolean isBusy() {
    return load > cores / 2.0;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s, %d cores, %s of memory, %s, JDK %s",
        cpu,
        cores,
        Unit.MEBIBYTES.show(memoryBytes),
        kernel,
        jdk);
  }
}
