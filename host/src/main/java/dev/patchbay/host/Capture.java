package dev.patchbay.host;

import dev.patchbay.host.HostArchive.Directory;
import dev.patchbay.host.HostArchive.Entry;
import dev.patchbay.host.HostArchive.Failing;
import dev.patchbay.host.HostArchive.Link;
import dev.patchbay.host.HostArchive.Node;
import dev.patchbay.host.HostArchive.TextFile;
import java.io.IOException;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Records a machine as an archive: its device nodes, and of `/sys` and `/proc` what the readers of
/// this package look at. Addresses, serial numbers and unique ids are replaced by made-up ones,
/// equal ones by equal ones.
public final class Capture {
  private static final int MAX_DEPTH = 4;
  private static final int MAX_TEXT = 4096;

  /// Files of a device's directory that are recorded.
  private static final Set<String> ATTRIBUTES =
      Set.of(
          "vendor",
          "device",
          "class",
          "subsystem_vendor",
          "subsystem_device",
          "revision",
          "numa_node",
          "uevent",
          "idVendor",
          "idProduct",
          "busnum",
          "devnum",
          "serial",
          "manufacturer",
          "product",
          "bDeviceClass",
          "speed",
          "dev",
          "name",
          "index",
          "sriov_totalvfs",
          "sriov_numvfs",
          "address",
          "operstate");

  private static final Set<String> LINKS =
      Set.of("driver", "iommu_group", "subsystem", "physfn", "device");
  private static final List<String> PLAIN_FILES =
      List.of("/proc/version", "/proc/misc", "/proc/devices", "/proc/filesystems");
  private static final List<String> BUSES =
      List.of("/sys/bus/pci/devices", "/sys/bus/usb/devices", "/sys/bus/mdev/devices");

  private static final Pattern MAC = Pattern.compile("\\b([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}\\b");
  private static final Pattern UUID =
      Pattern.compile("\\b[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\\b");

  private final HostRoot host;
  private final Map<String, Entry> entries = new TreeMap<>();
  private final Map<String, String> replaced = new LinkedHashMap<>();

  private Capture(HostRoot host) {
    this.host = host;
  }

  /// Records the machine. What cannot be read is recorded as that.
  ///
  /// @param clock for the date in the archive's head
  public static String of(HostRoot host, InstantSource clock) {
    var capture = new Capture(host);
    capture.nodes("/dev", 0);
    PLAIN_FILES.forEach(capture::file);
    for (String bus : BUSES) capture.bus(bus);
    capture.numaNodes();
    capture.cpus();
    String kernel =
        host.readAttribute("/proc/version")
            .value()
            .map(text -> text.split(" ", -1))
            .filter(words -> words.length > 2)
            .map(words -> words[2])
            .orElse("unknown");
    String date = DateTimeFormatter.ISO_LOCAL_DATE.format(clock.instant().atOffset(ZoneOffset.UTC));
    return new HostArchive(
            "captured " + date + "; kernel " + kernel, List.copyOf(capture.entries.values()))
        .text();
  }

  private void add(Entry entry) {
    entries.putIfAbsent(entry.path(), entry);
  }

  private List<String> list(String directory) {
    try {
      return host.list(directory);
    } catch (IOException e) {
      add(new Failing(directory, "EIO"));
      return List.of();
    }
  }

  private void nodes(String directory, int depth) {
    List<String> names = list(directory);
    if (names.isEmpty() && !entries.containsKey(directory)) add(new Directory(directory));
    for (String name : names) {
      String path = directory + "/" + name;
      Optional<Stat> stat = host.lstat(path);
      if (stat.isEmpty()) continue;
      switch (stat.get().kind()) {
        case CHARACTER_DEVICE, BLOCK_DEVICE -> node(path, stat.get());
        case LINK ->
            host.readLink(path).ifPresent(target -> add(new Link(path, anonymous(target))));
        case DIRECTORY -> {
          // Terminals, shared memory and message queues are no devices of the machine.
          if (depth < MAX_DEPTH && !Set.of("/dev/pts", "/dev/shm", "/dev/mqueue").contains(path))
            nodes(path, depth + 1);
        }
        case FILE, SOCKET, OTHER -> {}
      }
    }
  }

  private void node(String path, Stat stat) {
    add(new Node(path, stat, Optional.empty()));
    String kind = stat.kind() == Stat.Kind.BLOCK_DEVICE ? "block" : "char";
    String byNumber = "/sys/dev/%s/%d:%d".formatted(kind, stat.major(), stat.minor());
    host.readLink(byNumber).ifPresent(target -> add(new Link(byNumber, anonymous(target))));
    host.resolve(byNumber).ifPresent(this::device);
  }

  private void bus(String bus) {
    for (String name : list(bus)) {
      String path = bus + "/" + name;
      host.readLink(path).ifPresent(target -> add(new Link(path, anonymous(target))));
      host.resolve(path).ifPresent(this::device);
    }
  }

  /// A device's directory and those above it.
  private void device(String directory) {
    for (String at = directory; at.startsWith("/sys/devices/"); at = HostRoot.parentOf(at)) {
      String marker = at + "/uevent";
      if (entries.containsKey(marker)) return;
      for (String attribute : ATTRIBUTES) file(at + "/" + attribute);
      for (String link : LINKS) {
        String path = at + "/" + link;
        host.readLink(path).ifPresent(target -> add(new Link(path, anonymous(target))));
      }
    }
  }

  private void numaNodes() {
    for (String name : list("/sys/devices/system/node"))
      if (name.matches("node[0-9]+")) {
        String node = "/sys/devices/system/node/" + name;
        for (String file : List.of("cpulist", "distance", "meminfo")) file(node + "/" + file);
        for (String pages : list(node + "/hugepages"))
          file(node + "/hugepages/" + pages + "/nr_hugepages");
      }
  }

  private void cpus() {
    file("/sys/devices/system/cpu/online");
    for (String name : list("/sys/devices/system/cpu"))
      if (name.matches("cpu[0-9]+")) {
        String cpu = "/sys/devices/system/cpu/" + name;
        for (String file : List.of("core_id", "physical_package_id"))
          file(cpu + "/topology/" + file);
        for (String cache : list(cpu + "/cache")) lastLevelCache(cpu + "/cache/" + cache);
      }
  }

  /// A cache beyond level 2: the others belong to one core, and there are many of them.
  private void lastLevelCache(String cache) {
    if (host.readAttribute(cache + "/level") instanceof Attribute.Value level
        && level.text().strip().matches("[3-9]"))
      for (String file : List.of("id", "level", "shared_cpu_map")) file(cache + "/" + file);
  }

  private void file(String path) {
    if (host.stat(path).filter(stat -> stat.kind() == Stat.Kind.FILE).isEmpty()) return;
    switch (host.readAttribute(path)) {
      case Attribute.Absent _ -> {}
      case Attribute.Unreadable unreadable -> add(new Failing(path, errorName(unreadable.why())));
      case Attribute.Value value -> {
        boolean isSerial = path.endsWith("/serial");
        String text = isSerial ? madeUp("serial", value.text()) : anonymous(value.text());
        add(
            new TextFile(
                path,
                text.isEmpty() ? "" : text.substring(0, Math.min(text.length(), MAX_TEXT)) + "\n"));
      }
    }
  }

  private static String errorName(String why) {
    if (why.endsWith("Invalid argument") || why.endsWith("EINVAL")) return "EINVAL";
    if (why.endsWith("Permission denied") || why.endsWith("EACCES")) return "EACCES";
    return "EIO";
  }

  private String anonymous(String text) {
    String withoutMacs = replace(MAC, "mac", text);
    return replace(UUID, "uuid", withoutMacs);
  }

  private String replace(Pattern what, String kind, String text) {
    return what.matcher(text)
        .replaceAll(match -> Matcher.quoteReplacement(madeUp(kind, match.group())));
  }

  /// One of the same kind, the same for the same original, and itself when it is made up already.
  private String madeUp(String kind, String original) {
    if (original.matches(
        "SERIAL[0-9]{4}|02:00:00:00:[0-9a-f]{2}:[0-9a-f]{2}|00000000-0000-4000-8000-[0-9]{12}|(00:){5}00|(ff:){5}ff"))
      return original;
    return replaced.computeIfAbsent(
        kind + original,
        _ -> {
          int number = replaced.size() + 1;
          return switch (kind) {
            case "mac" -> "02:00:00:00:%02x:%02x".formatted(number >> 8 & 0xff, number & 0xff);
            case "uuid" -> "00000000-0000-4000-8000-%012d".formatted(number);
            default -> "SERIAL%04d".formatted(number);
          };
        });
  }
}
