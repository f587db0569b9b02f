package dev.patchbay.kubelet.topology;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/// The hints of devices as the rules say them: every device for every set of nodes. What
/// [DeviceHints] is compared with. A device is the list of its nodes.
record NaiveHints(SortedSet<Integer> machine, HintVariant variant) {
  List<TopologyHint> of(
      int wanted,
      List<? extends Collection<Integer>> all,
      List<? extends Collection<Integer>> available,
      List<? extends Collection<Integer>> reusable) {
    List<Integer> nodes = new ArrayList<>(machine);
    if (variant == HintVariant.V1_36) {
      SortedSet<Integer> withDevices = new TreeSet<>();
      all.forEach(withDevices::addAll);
      withDevices.retainAll(machine);
      if (!withDevices.isEmpty()) nodes = new ArrayList<>(withDevices);
    }
    int min = nodes.size();
    List<List<Integer>> found = new ArrayList<>();
    for (List<Integer> set : subsets(nodes)) {
      if (touching(all, set) >= wanted && set.size() < min) min = set.size();
      int count = 0;
      boolean rejected = false;
      for (Collection<Integer> device : reusable) {
        if (device.isEmpty()) continue;
        if (touching(List.of(device), set) == 0) rejected = true;
        count++;
      }
      if (rejected) continue;
      count += touching(available, set);
      if (count >= wanted) found.add(set);
    }
    int narrowest = min;
    return found.stream()
        .map(set ->
            set.size() == narrowest
                ? TopologyHint.preferred(NumaMask.of(set))
                : TopologyHint.possible(NumaMask.of(set)))
        .toList();
  }

  private static int touching(List<? extends Collection<Integer>> devices, List<Integer> set) {
    int count = 0;
    for (Collection<Integer> device : devices) if (device.stream().anyMatch(set::contains)) count++;
    return count;
  }

  /// By size, then lexicographically.
  static List<List<Integer>> subsets(List<Integer> nodes) {
    List<List<Integer>> subsets = new ArrayList<>();
    for (int size = 1; size <= nodes.size(); size++) collect(nodes, size, List.of(), subsets);
    return subsets;
  }

  private static void collect(
      List<Integer> nodes, int size, List<Integer> begun, List<List<Integer>> subsets) {
    if (begun.size() == size) {
      subsets.add(begun);
      return;
    }
    for (int i = 0; i < nodes.size(); i++) {
      List<Integer> more = new ArrayList<>(begun);
      more.add(nodes.get(i));
      collect(nodes.subList(i + 1, nodes.size()), size, more, subsets);
    }
  }
}
