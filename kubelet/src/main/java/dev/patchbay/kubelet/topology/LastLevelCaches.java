package dev.patchbay.kubelet.topology;

import dev.patchbay.host.Attribute;
import dev.patchbay.host.HostRoot;
import dev.patchbay.kubelet.topology.NumaMachine.Core;
import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// Reads which cores of a NUMA node share a last-level cache, as the kubelet takes it from the
/// kernel (by cAdvisor).
///
/// | file below `/sys/devices/system/cpu/cpuC/cache/indexI` | is |
/// |---|---|
/// | `level` | 1 for the cache next to the core, and so on |
/// | `id` | number of the cache, unique among those of its level |
/// | `shared_cpu_map` | CPUs that share it, as a hexadecimal mask |
///
/// It is the first cache beyond level 2, unless it is shared by as many CPUs as the node has: that
/// says no more than the node. Where a cache does not say what it is, as in many virtual machines,
/// neither this core's nor those of the cores after it on the node are known. Source:
/// `Documentation/ABI/testing/sysfs-devices-system-cpu`.
final class LastLevelCaches {
  private static final int PRIVATE_LEVELS = 2;

  private final HostRoot host;

  LastLevelCaches(HostRoot host) {
    this.host = host;
  }

  private record Cache(int level, int id, int cpus) {}

  /// The cores of a node with their caches.
  ///
  /// @throws IOException when the caches of a CPU cannot be listed; names the directory
  List<Core> on(List<Core> node) throws IOException {
    List<Core> cores = new ArrayList<>();
    for (Core core : node) {
      Optional<List<Cache>> caches = caches(core.threads().getFirst());
      if (caches.isEmpty()) break;
      OptionalInt last = last(caches.get(), node.size() * core.threads().size());
      cores.add(
          last.isPresent()
              ? new Core(core.id(), core.socket(), core.threads(), last.getAsInt())
              : core);
    }
    cores.addAll(node.subList(cores.size(), node.size()));
    return cores;
  }

  private static OptionalInt last(List<Cache> caches, int cpusOfNode) {
    return caches.stream()
        .filter(cache -> cache.level() > PRIVATE_LEVELS && cache.cpus() != cpusOfNode)
        .mapToInt(Cache::id)
        .findFirst();
  }

  /// Empty when one of them does not say what it is.
  private Optional<List<Cache>> caches(int cpu) throws IOException {
    String directory = "/sys/devices/system/cpu/cpu" + cpu + "/cache";
    List<Cache> caches = new ArrayList<>();
    for (String entry : host.list(directory)) {
      if (!entry.startsWith("index")) continue;
      String cache = directory + "/" + entry;
      OptionalInt level = number(cache + "/level");
      OptionalInt id = number(cache + "/id");
      OptionalInt cpus = bits(cache + "/shared_cpu_map");
      if (level.isEmpty() || id.isEmpty() || cpus.isEmpty()) return Optional.empty();
      caches.add(new Cache(level.getAsInt(), id.getAsInt(), cpus.getAsInt()));
    }
    return Optional.of(caches);
  }

  private OptionalInt number(String path) {
    String text = text(path);
    return text.matches("[0-9]{1,9}")
        ? OptionalInt.of(Integer.parseInt(text))
        : OptionalInt.empty();
  }

  /// Words of a mask are separated by commas, each of eight digits but the first.
  private OptionalInt bits(String path) {
    String text = text(path).replace(",", "");
    return text.matches("[0-9a-fA-F]{1,4096}")
        ? OptionalInt.of(new BigInteger(text, 16).bitCount())
        : OptionalInt.empty();
  }

  private String text(String path) {
    return switch (host.readAttribute(path)) {
      case Attribute.Value value -> value.text().strip();
      case Attribute.Absent _, Attribute.Unreadable _ -> "";
    };
  }
}
