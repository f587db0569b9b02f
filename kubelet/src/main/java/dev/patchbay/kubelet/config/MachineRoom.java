package dev.patchbay.kubelet.config;

import dev.patchbay.host.Attribute;
import dev.patchbay.host.HostRoot;
import dev.patchbay.kubelet.memory.HugePages;
import dev.patchbay.kubelet.topology.NumaLayout;
import dev.patchbay.kubelet.topology.NumaMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a machine has for pods, before anything is reserved.
///
/// @param nodes its NUMA nodes
/// @param capacity by resource: `cpu` in thousandths of a core, everything else in bytes
public record MachineRoom(NumaMachine nodes, SortedMap<String, Long> capacity) {
  private static final Pattern MEMORY = Pattern.compile("(?m)^MemTotal:\\s+(\\d{1,15}) kB$");
  private static final Pattern PAGES = Pattern.compile("hugepages-(\\d{1,15})kB");
  private static final String PAGES_FOLDER = "/sys/kernel/mm/hugepages";

  public MachineRoom {
    capacity = Collections.unmodifiableSortedMap(new TreeMap<>(capacity));
  }

  /// The room of a machine of which nothing but its NUMA nodes is known.
  public static MachineRoom of(NumaMachine nodes) {
    SortedMap<String, Long> capacity = new TreeMap<>();
    capacity.put("cpu", 1000L * nodes.cpus().size());
    capacity.put("memory", nodes.nodes().stream().mapToLong(NumaMachine.Node::memoryBytes).sum());
    for (NumaMachine.Node node : nodes.nodes())
      node.hugePages()
          .forEach((size, count) -> capacity.merge(HugePages.name(size), size * count, Long::sum));
    return new MachineRoom(nodes, capacity);
  }

  /// The room of a machine: CPUs and NUMA nodes as [NumaLayout] reads them, memory from
  /// `/proc/meminfo`, huge pages from `/sys/kernel/mm/hugepages`.
  ///
  /// @param storage the directory whose file system is the node's ephemeral storage; absolute. That
  ///   of the nearest directory around it counts while it does not exist. One that does not say how
  ///   large it is, is no storage
  /// @throws IOException when something is there that cannot be read; names the file
  public static MachineRoom read(HostRoot host, Path storage) throws IOException {
    NumaMachine nodes = NumaLayout.read(host);
    SortedMap<String, Long> capacity = hugePages(host);
    int cpus = nodes.cpus().size();
    capacity.put("cpu", 1000L * (cpus > 0 ? cpus : Runtime.getRuntime().availableProcessors()));
    capacity.put("memory", memory(host));
    long bytes = storageBytes(storage);
    if (bytes > 0) capacity.put("ephemeral-storage", bytes);
    return new MachineRoom(nodes, capacity);
  }

  /// By the file itself and not by its mount point, which a chroot does not have.
  private static long storageBytes(Path directory) {
    Path there = directory;
    while (!Files.exists(there) && there.getParent() != null) there = there.getParent();
    return there.toFile().getTotalSpace();
  }

  private static long memory(HostRoot host) throws IOException {
    Matcher line = MEMORY.matcher(text(host, "/proc/meminfo"));
    if (!line.find()) throw new IOException("/proc/meminfo has no line MemTotal");
    return Long.parseLong(line.group(1)) * 1024;
  }

  private static SortedMap<String, Long> hugePages(HostRoot host) throws IOException {
    SortedMap<String, Long> amounts = new TreeMap<>();
    for (String size : host.list(PAGES_FOLDER)) {
      Matcher name = PAGES.matcher(size);
      if (!name.matches()) continue;
      long bytes = Long.parseLong(name.group(1)) * 1024;
      String count = text(host, PAGES_FOLDER + "/" + size + "/nr_hugepages").strip();
      amounts.put(
          HugePages.name(bytes), count.matches("\\d{1,9}") ? Long.parseLong(count) * bytes : 0);
    }
    return amounts;
  }

  private static String text(HostRoot host, String path) {
    return host.readAttribute(path) instanceof Attribute.Value value ? value.text() : "";
  }
}
