package dev.patchbay.kubelet.topology;

import dev.patchbay.host.Attribute;
import dev.patchbay.host.HostRoot;
import dev.patchbay.kubelet.topology.NumaMachine.Core;
import dev.patchbay.kubelet.topology.NumaMachine.Node;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Reads the machine's NUMA nodes as the kernel shows them, and as the kubelet takes them from
/// there (by cAdvisor).
///
/// | file below `/sys/devices/system` | is |
/// |---|---|
/// | `node/nodeN/meminfo` | memory, in the line `MemTotal` (kB) |
/// | `node/nodeN/distance` | distances to the nodes that are online, in the order of their ids |
/// | `node/nodeN/hugepages/hugepages-SkB/nr_hugepages` | number of huge pages of that size |
/// | `node/nodeN/cpulist` | its CPUs that are in use |
/// | `cpu/online` | CPUs that are in use |
/// | `cpu/cpuC/topology/core_id`, `…/physical_package_id` | its core and socket |
/// | `cpu/cpuC/cache` | its caches: see [LastLevelCaches] |
///
/// A kernel without NUMA has no node there. Each socket counts as a node then, with the socket's
/// id; if it is the only one it has all memory of `/proc/meminfo`. The kubelet gives it none. A CPU
/// that says no core or socket is left out, as in the kubelet. Sources:
/// `Documentation/ABI/stable/sysfs-devices-node`, `…/sysfs-devices-system-cpu`.
public final class NumaLayout {
  private static final String NODES = "/sys/devices/system/node";
  private static final String CPUS = "/sys/devices/system/cpu";
  private static final Pattern NODE = Pattern.compile("node(\\d{1,9})");
  private static final Pattern CPU_RANGE = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?");
  private static final Pattern HUGE_PAGES = Pattern.compile("hugepages-(\\d{1,15})kB");
  private static final Pattern MEM_TOTAL = Pattern.compile("MemTotal:\\s*(\\d{1,15}) kB");
  private static final long KIB = 1024;

  private final HostRoot host;
  private final LastLevelCaches caches;

  private NumaLayout(HostRoot host) {
    this.host = host;
    this.caches = new LastLevelCaches(host);
  }

  /// The machine below this root; one without nodes, when nothing is said about CPUs there.
  ///
  /// @throws IOException when something is there that cannot be read, or is not what it should be;
  ///   names the file
  public static NumaMachine read(HostRoot host) throws IOException {
    return new NumaLayout(host).machine();
  }

  private NumaMachine machine() throws IOException {
    List<Node> nodes = new ArrayList<>();
    for (String entry : host.list(NODES)) {
      Matcher match = NODE.matcher(entry);
      if (match.matches()) nodes.add(node(Integer.parseInt(match.group(1)), NODES + "/" + entry));
    }
    return nodes.isEmpty() ? withoutNuma() : new NumaMachine(nodes);
  }

  private Node node(int id, String directory) throws IOException {
    return new Node(
        id,
        memory(directory + "/meminfo"),
        hugePages(directory + "/hugepages"),
        distances(directory + "/distance"),
        caches.on(cores(directory + "/cpulist")));
  }

  private NumaMachine withoutNuma() throws IOException {
    SortedMap<Integer, List<Core>> sockets = new TreeMap<>();
    for (Core core : cores(CPUS + "/online"))
      sockets.computeIfAbsent(core.socket(), _ -> new ArrayList<>()).add(core);
    long memory = sockets.size() == 1 ? memory("/proc/meminfo") : 0;
    SortedMap<Long, Long> pages =
        sockets.size() == 1 ? hugePages("/sys/kernel/mm/hugepages") : new TreeMap<>();
    List<Node> nodes = new ArrayList<>();
    for (var socket : sockets.entrySet())
      nodes.add(new Node(socket.getKey(), memory, pages, List.of(), caches.on(socket.getValue())));
    return new NumaMachine(nodes);
  }

  /// 0 without the file.
  private long memory(String path) throws IOException {
    Optional<String> text = text(host, path);
    if (text.isEmpty()) return 0;
    Matcher match = MEM_TOTAL.matcher(text.get());
    if (!match.find()) throw new IOException(path + " has no line MemTotal");
    return Long.parseLong(match.group(1)) * KIB;
  }

  private SortedMap<Long, Long> hugePages(String directory) throws IOException {
    SortedMap<Long, Long> pages = new TreeMap<>();
    for (String entry : host.list(directory)) {
      Matcher match = HUGE_PAGES.matcher(entry);
      if (!match.matches()) continue;
      String path = directory + "/" + entry + "/nr_hugepages";
      Optional<String> count = text(host, path);
      if (count.isPresent())
        pages.put(Long.parseLong(match.group(1)) * KIB, number(path, count.get()));
    }
    return pages;
  }

  private List<Integer> distances(String path) throws IOException {
    List<Integer> distances = new ArrayList<>();
    for (String word : text(host, path).stream().flatMap(NumaLayout::words).toList())
      distances.add(Math.toIntExact(number(path, word)));
    return distances;
  }

  private static Stream<String> words(String text) {
    return Stream.of(text.strip().split("\\s+"));
  }

  /// The cores of the CPUs in this list; those without a core or socket are left out.
  private List<Core> cores(String list) throws IOException {
    record Place(int socket, int core) {}
    SortedMap<Integer, Place> places = new TreeMap<>();
    for (int cpu : cpus(list)) {
      String topology = CPUS + "/cpu" + cpu + "/topology";
      Optional<String> core = text(host, topology + "/core_id");
      Optional<String> socket = text(host, topology + "/physical_package_id");
      if (core.isPresent() && socket.isPresent())
        places.put(
            cpu,
            new Place(
                Math.toIntExact(number(topology + "/physical_package_id", socket.get())),
                Math.toIntExact(number(topology + "/core_id", core.get()))));
    }
    Map<Place, List<Integer>> threads = new LinkedHashMap<>();
    places.forEach((cpu, place) -> threads.computeIfAbsent(place, _ -> new ArrayList<>()).add(cpu));
    return threads.entrySet().stream()
        .map(core -> new Core(core.getKey().core(), core.getKey().socket(), core.getValue()))
        .toList();
  }

  /// At most 9 digits, with a sign: a machine whose firmware says no socket has -1 there.
  private static long number(String path, String text) throws IOException {
    if (!text.strip().matches("-?[0-9]{1,9}"))
      throw new IOException(path + " is '" + text.strip() + "'; needed is a number");
    return Long.parseLong(text.strip());
  }

  private static Optional<String> text(HostRoot host, String path) throws IOException {
    return switch (host.readAttribute(path)) {
      case Attribute.Value value -> Optional.of(value.text());
      case Attribute.Absent _ -> Optional.empty();
      case Attribute.Unreadable unreadable -> throw new IOException(unreadable.why());
    };
  }

  /// A list such as `0-3,8`, empty for a node without CPUs.
  private List<Integer> cpus(String path) throws IOException {
    String text = text(host, path).orElse("").strip();
    List<Integer> cpus = new ArrayList<>();
    if (text.isEmpty()) return cpus;
    for (String part : text.split(",", -1)) {
      Matcher match = CPU_RANGE.matcher(part);
      if (!match.matches())
        throw new IOException(path + " is '" + text + "'; needed are CPUs such as 0-3,8");
      int first = Integer.parseInt(match.group(1));
      String last = match.group(2);
      int end = last == null ? first : Integer.parseInt(last);
      for (int cpu = first; cpu <= end; cpu++) cpus.add(cpu);
    }
    return cpus;
  }
}
