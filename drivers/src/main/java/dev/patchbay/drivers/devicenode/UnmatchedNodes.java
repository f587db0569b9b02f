package dev.patchbay.drivers.devicenode;

import dev.patchbay.drivers.Scan;
import dev.patchbay.host.HostRoot;
import dev.patchbay.host.Stat;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Device nodes that are here and that no entry of the configuration matches, so that an operator
/// sees what could be offered.
final class UnmatchedNodes {
  private static final int DEPTH = 3;

  /// What every machine has and nobody asks for: terminals, memory, pseudo-devices, disks' loop and
  /// ram devices.
  private static final Pattern ORDINARY =
      Pattern.compile(
          "tty\\d*|ttyS\\d+|vcs[au]?\\d*|pty.*|ptmx|console|null|zero|full|random|urandom|mem|kmem|kmsg|port|loop.*|ram\\d+|"
              + "core|stdin|stdout|stderr|initctl|log|rtc|snapshot|autofs|btrfs-control|mapper|cpu_dma_latency|userfaultfd");

  private static final Set<String> SKIPPED_DIRECTORIES =
      Set.of(
          "/dev/pts",
          "/dev/shm",
          "/dev/mqueue",
          "/dev/hugepages",
          "/dev/block",
          "/dev/char",
          "/dev/disk",
          "/dev/cpu",
          "/dev/mapper",
          "/dev/bus");

  private final HostRoot host;

  UnmatchedNodes(HostRoot host) {
    this.host = host;
  }

  List<Scan.NotOffered> besides(Set<String> matched) {
    List<Scan.NotOffered> found = new ArrayList<>();
    collect("/dev", DEPTH, matched, found);
    return found;
  }

  private void collect(
      String directory, int depth, Set<String> matched, List<Scan.NotOffered> found) {
    List<String> names;
    try {
      names = host.list(directory);
    } catch (IOException e) {
      // Whoever is asked to offer something below it says so.
      return;
    }
    for (String name : names) {
      String path = directory + "/" + name;
      if (ORDINARY.matcher(name).matches() || matched.contains(path)) continue;
      Optional<Stat> stat = host.lstat(path);
      if (stat.isEmpty()) continue;
      if (stat.get().isDevice())
        found.add(new Scan.NotOffered(path, "no entry of device-node matches"));
      else if (stat.get().kind() == Stat.Kind.DIRECTORY
          && depth > 1
          && !SKIPPED_DIRECTORIES.contains(path)) collect(path, depth - 1, matched, found);
    }
  }
}
