package dev.patchbay.cli.control;

import java.util.SortedSet;
import java.util.TreeSet;

/// Lists of CPUs as the kernel writes them: `0,2-3`.
final class CpuRanges {
  private static final int MOST = 4096;

  private CpuRanges() {}

  /// @throws IllegalArgumentException when it is no such list
  static SortedSet<Integer> parse(String text) {
    SortedSet<Integer> all = new TreeSet<>();
    if (text.isBlank()) return all;
    for (String range : text.split(",", -1)) {
      if (!range.matches("[0-9]{1,4}(-[0-9]{1,4})?"))
        throw new IllegalArgumentException(
            "\"" + text + "\" is no list of CPUs; needed is one like 0,2-3");
      String[] ends = range.split("-", -1);
      int first = Integer.parseInt(ends[0]);
      int last = Integer.parseInt(ends[ends.length - 1]);
      if (last < first || last > MOST)
        throw new IllegalArgumentException(
            "\"" + range + "\" is no range of CPUs; needed is one from low to high, to " + MOST);
      for (int cpu = first; cpu <= last; cpu++) all.add(cpu);
    }
    return all;
  }
}
