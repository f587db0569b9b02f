package dev.patchbay.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/// Where it was measured.
///
/// @param memoryBytes `MemTotal`
/// @param load the machine's load of the last minute; see proc_loadavg(5)
/// @param isAhead whether this program, and what it starts, runs before all that others start, by a
///   real-time policy; see sched(7) and chrt(1)
public record Machine(
    String cpu,
    int cores,
    long memoryBytes,
    String kernel,
    String jdk,
    double load,
    boolean isAhead) {
  /// SCHED_FIFO and SCHED_RR.
  private static final Set<String> REAL_TIME = Set.of("1", "2");

  public static Machine here() throws IOException {
    return new Machine(
        value(Path.of("/proc/cpuinfo"), "model name", System.getProperty("os.arch")),
        Runtime.getRuntime().availableProcessors(),
        Long.parseLong(value(Path.of("/proc/meminfo"), "MemTotal", "0 kB").replaceAll("[^0-9]", ""))
            * 1024,
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        System.getProperty("java.vendor.version") + " (" + Runtime.version() + ")",
        Double.parseDouble(Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0]),
        isRealTime(Files.readString(Path.of("/proc/self/stat"))));
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

  /// By `policy`, the 41st field; the second is in parentheses.
  private static boolean isRealTime(String stat) {
    String[] fromThird = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return REAL_TIME.contains(fromThird[41 - 3]);
  }

  /// Whether others use so much of the machine that times say little.
  public boolean isBusy() {
    return load > cores / 2.0 && !isAhead;
  }

  /// What else it did.
  public String business() {
    return String.format(Locale.ROOT, "Load average just before: %.2f", load)
        + (isAhead ? "; what is measured had precedence (real-time scheduling)." : ".");
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
