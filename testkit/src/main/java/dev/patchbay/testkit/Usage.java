package dev.patchbay.testkit;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// What a process uses.
///
/// @param threads of this process also the virtual ones
/// @param memoryBytes of this process the heap in use after a collection, of another the resident
///   memory
record Usage(long threads, long descriptors, long memoryBytes) {
  /// What the process uses now.
  static Usage of(long pid) throws IOException {
    long descriptors = entries(Path.of("/proc/" + pid + "/fd"));
    if (pid != ProcessHandle.current().pid())
      return new Usage(entries(Path.of("/proc/" + pid + "/task")), descriptors, residentBytes(pid));
    System.gc();
    return new Usage(
        ownThreads(),
        descriptors,
        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
  }

  private static long entries(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.count();
    }
  }

  private static long residentBytes(long pid) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/status"))) {
      String resident =
          lines
              .filter(line -> line.startsWith("VmRSS:"))
              .findFirst()
              .orElseThrow(() -> new IOException("/proc/" + pid + "/status has no VmRSS"));
      return Long.parseLong(resident.replaceAll("[^0-9]", "")) * 1024;
    }
  }

  /// The kernel knows nothing of virtual threads, a thread dump does.
  private static long ownThreads() throws IOException {
    Path dump = Files.createTempDirectory("threads").resolve("dump.json");
    try {
      ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
          .dumpThreads(dump.toString(), ThreadDumpFormat.JSON);
      try (Stream<String> lines = Files.lines(dump)) {
        return lines.filter(line -> line.contains("\"tid\":")).count();
      }
    } finally {
      Files.deleteIfExists(dump);
      Files.deleteIfExists(dump.getParent());
    }
  }
}
