package dev.patchbay.cli.control;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/// How much memory this process has, as the kernel counts it (`proc_pid_status(5)`).
final class ResidentMemory {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Map<String, String> FIELDS =
      Map.of("rssKiB", "VmRSS", "peakKiB", "VmHWM", "anonymousKiB", "RssAnon");

  private ResidentMemory() {}

  /// After a collection of garbage.
  ///
  /// @throws IOException when the kernel does not say it
  static ObjectNode now() throws IOException {
    System.gc();
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    for (Map.Entry<String, String> field : FIELDS.entrySet())
      answer.put(field.getKey(), kib(field.getValue()));
    return answer;
  }

  private static long kib(String name) throws IOException {
    for (String line : Files.readAllLines(STATUS))
      if (line.startsWith(name + ":")) return Long.parseLong(line.replaceAll("[^0-9]", ""));
    throw new IOException("no " + name + " in " + STATUS);
  }
}
