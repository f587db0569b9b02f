package dev.patchbay.host;

import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// Which NUMA node a device is near to.
///
/// Read from `numa_node` of the device's directory in `/sys`, or of the nearest bridge above it
/// that has one (`Documentation/ABI/testing/sysfs-bus-pci`); -1 there means none.
public final class NumaNodes {
  private NumaNodes() {}

  /// The node of the device with this device number; empty when it has none, as for software
  /// devices like `/dev/kvm`.
  public static SortedSet<Integer> of(HostRoot host, Stat device) {
    String kind = device.kind() == Stat.Kind.BLOCK_DEVICE ? "block" : "char";
    return host.resolve("/sys/dev/%s/%d:%d".formatted(kind, device.major(), device.minor()))
        .map(directory -> ofDirectory(host, directory))
        .orElseGet(TreeSet::new);
  }

  /// The node of the device with this directory in `/sys`, without symbolic links.
  public static SortedSet<Integer> ofDirectory(HostRoot host, String directory) {
    SortedSet<Integer> nodes = new TreeSet<>();
    for (String at = directory; at.startsWith("/sys/devices/"); at = HostRoot.parentOf(at)) {
      String here = at;
      Optional<Integer> node =
          host.readAttribute(at + "/numa_node")
              .value()
              .or(() -> host.readAttribute(here + "/device/numa_node").value())
              .flatMap(NumaNodes::parse);
      if (node.isPresent()) {
        if (node.get() >= 0) nodes.add(node.get());
        return nodes;
      }
    }
    return nodes;
  }

  /// The number in the file; empty when there is none.
  static Optional<Integer> parse(String text) {
    try {
      return Optional.of(Integer.parseInt(text.strip()));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }
}
