package dev.patchbay.cluster;

import dev.patchbay.host.Attribute;
import dev.patchbay.host.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What the node's status says of the machine.
///
/// @param capacity `cpu` in thousandths of a core, the others in bytes, `pods` not among them
/// @param machineId of `/etc/machine-id`
/// @param systemUuid of `/sys/class/dmi/id/product_uuid`; the machine's id where there is none
/// @param bootId of `/proc/sys/kernel/random/boot_id`
/// @param osImage `PRETTY_NAME` of `/etc/os-release`
/// @param architecture in Go's words: `amd64`, `arm64`
record Machine(
    SortedMap<String, Long> capacity,
    String machineId,
    String systemUuid,
    String bootId,
    String kernelVersion,
    String osImage,
    String architecture) {
  private static final Pattern MEMORY = Pattern.compile("(?m)^MemTotal:\\s+(\\d+) kB$");
  private static final Pattern HUGE_PAGES = Pattern.compile("hugepages-(\\d+)kB");
  private static final Pattern NAME = Pattern.compile("(?m)^PRETTY_NAME=\"?([^\"\n]*)\"?$");

  /// Reads them.
  ///
  /// @param storage the directory whose file system is the node's ephemeral storage
  static Machine read(HostRoot host, Path storage, int processors, String architecture)
      throws IOException {
    SortedMap<String, Long> capacity = new TreeMap<>();
    capacity.put("cpu", processors * 1000L);
    capacity.put("memory", memory(text(host, "/proc/meminfo")));
    capacity.put("ephemeral-storage", Files.getFileStore(storage).getTotalSpace());
    capacity.putAll(hugePages(host));
    String machineId = text(host, "/etc/machine-id");
    String uuid = text(host, "/sys/class/dmi/id/product_uuid");
    return new Machine(
        capacity,
        machineId,
        uuid.isEmpty() ? machineId : uuid,
        text(host, "/proc/sys/kernel/random/boot_id"),
        text(host, "/proc/sys/kernel/osrelease"),
        first(NAME, text(host, "/etc/os-release"), "Linux"),
        goName(architecture));
  }

  private static long memory(String meminfo) throws IOException {
    String kilobytes = first(MEMORY, meminfo, "");
    if (kilobytes.isEmpty()) throw new IOException("/proc/meminfo has no line MemTotal");
    return Long.parseLong(kilobytes) * 1024;
  }

  private static SortedMap<String, Long> hugePages(HostRoot host) {
    SortedMap<String, Long> amounts = new TreeMap<>();
    String folder = "/sys/kernel/mm/hugepages";
    for (String size : list(host, folder)) {
      Matcher matcher = HUGE_PAGES.matcher(size);
      if (!matcher.matches()) continue;
      long bytes = Long.parseLong(matcher.group(1)) * 1024;
      String count = text(host, folder + "/" + size + "/nr_hugepages");
      amounts.put(
          "hugepages-" + Quantities.binary(bytes),
          count.isEmpty() ? 0 : Long.parseLong(count) * bytes);
    }
    return amounts;
  }

  private static Iterable<String> list(HostRoot host, String folder) {
    try {
      return host.list(folder);
    } catch (IOException e) {
      return java.util.List.of(); // a kernel without huge pages
    }
  }

  private static String text(HostRoot host, String path) {
    return host.readAttribute(path) instanceof Attribute.Value value ? value.text().strip() : "";
  }

  private static String first(Pattern pattern, String text, String otherwise) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? matcher.group(1) : otherwise;
  }

  private static String goName(String architecture) {
    return Map.of("x86_64", "amd64", "aarch64", "arm64").getOrDefault(architecture, architecture);
  }
}
