package dev.patchbay.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/// What the kernel counts for a process; see proc_pid_status(5) and proc_pid_stat(5).
///
/// @param residentBytes `VmRSS`
/// @param anonymousBytes `RssAnon`: what no file stands behind
/// @param peakBytes `VmHWM`: the highest `VmRSS` so far
/// @param cpu `utime` and `stime`; the kernel tells them in steps of 10 ms
record ProcessFacts(long residentBytes, long anonymousBytes, long peakBytes, Duration cpu) {
  /// `USER_HZ` is 100 wherever Java runs.
  private static final Duration TICK = Duration.ofMillis(10);

  static ProcessFacts of(long pid) throws IOException {
    Path directory = Path.of("/proc", Long.toString(pid));
    return parse(
        Files.readAllLines(directory.resolve("status")),
        Files.readString(directory.resolve("stat")));
  }

  /// CPU time of the threads that a process has now, as the scheduler counts it: in nanoseconds;
  /// see `Documentation/scheduler/sched-stats.rst`.
  static Duration cpuOfThreads(long pid) throws IOException {
    long nanos = 0;
    try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
      for (Path thread : threads.toList()) nanos += nanosOf(thread);
    }
    return Duration.ofNanos(nanos);
  }

  private static long nanosOf(Path thread) throws IOException {
    try {
      return Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ", 2)[0]);
    } catch (NoSuchFileException ended) {
      return 0; // what it had used is lost; an idle process ends no thread that used much
    }
  }

  static ProcessFacts parse(List<String> status, String stat) throws IOException {
    return new ProcessFacts(
        bytes(status, "VmRSS"), bytes(status, "RssAnon"), bytes(status, "VmHWM"), cpu(stat));
  }

  private static long bytes(List<String> status, String key) throws IOException {
    for (String line : status)
      if (line.startsWith(key + ":")) return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
    throw new IOException("the process's status has no " + key + ": has it ended?");
  }

  /// The second field is the program's name in parentheses, with any characters in it.
  private static Duration cpu(String stat) {
    String[] fromThird = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    long ticks = Long.parseLong(fromThird[14 - 3]) + Long.parseLong(fromThird[15 - 3]);
    return TICK.multipliedBy(ticks);
  }
}
