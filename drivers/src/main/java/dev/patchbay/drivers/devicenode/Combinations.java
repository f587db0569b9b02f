package dev.patchbay.drivers.devicenode;

import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// Makes devices of the matches of several paths: the i-th of each.
///
/// Each path's sorted matches, repeated `limit` times, make a list; there are as many devices as
/// the shortest list has entries, but not more than the longest list of matches without repeats. An
/// optional path without matches takes no part; a required one without matches leaves no device.
final class Combinations {
  private Combinations() {}

  /// A match of a path.
  record Match(PathSpec spec, String path) {}

  /// The devices, each a list of matches in the order of the paths.
  ///
  /// @param matches for each path its sorted matches
  static List<List<Match>> of(List<PathSpec> paths, List<List<String>> matches) {
    List<Integer> taking =
        IntStream.range(0, paths.size())
            .filter(k -> !paths.get(k).optional() || !matches.get(k).isEmpty())
            .boxed()
            .toList();
    int most = taking.stream().mapToInt(k -> matches.get(k).size()).max().orElse(0);
    long fewest =
        taking.stream()
            .mapToLong(k -> (long) matches.get(k).size() * paths.get(k).limit())
            .min()
            .orElse(0);
    List<List<Match>> devices = new ArrayList<>();
    for (int i = 0; i < Math.min(most, fewest); i++) {
      int index = i;
      devices.add(
          taking.stream()
              .map(k -> new Match(paths.get(k), matches.get(k).get(index % matches.get(k).size())))
              .toList());
    }
    return devices;
  }
}
