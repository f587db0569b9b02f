package dev.patchbay.kubelet.config;

import dev.patchbay.kubelet.cpu.CpuSet;
import dev.patchbay.kubelet.pods.ManifestDocument;
import dev.patchbay.kubelet.pods.Quantities;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// What pods cannot have of a node: `systemReserved`, `kubeReserved` and the thresholds of
/// `evictionHard`, added up.
final class Reservations {
  private static final List<String> RESERVABLE =
      List.of("cpu", "memory", "ephemeral-storage", "pid");

  /// What a threshold of eviction may be of.
  private static final List<String> SIGNALS =
      List.of(
          "memory.available",
          "allocatableMemory.available",
          "nodefs.available",
          "nodefs.inodesFree",
          "imagefs.available",
          "imagefs.inodesFree",
          "containerfs.available",
          "containerfs.inodesFree",
          "pid.available");

  /// Those that take something from pods, by the resource.
  private static final Map<String, String> OF_RESOURCE =
      Map.of("memory", "memory.available", "ephemeral-storage", "nodefs.available");

  private static final Map<String, String> USUAL_THRESHOLDS =
      Map.of("memory.available", "100Mi", "nodefs.available", "10%");

  private final ConfigTree tree;
  private final MachineRoom machine;

  Reservations(ConfigTree tree, MachineRoom machine) {
    this.tree = tree;
    this.machine = machine;
  }

  /// @param cpus those that are named as reserved: their number counts instead of an amount
  SortedMap<String, Long> read(CpuSet cpus) {
    SortedMap<String, Long> reserved = new TreeMap<>();
    for (String field : List.of("systemReserved", "kubeReserved"))
      amounts(field).forEach((name, amount) -> reserved.merge(name, amount, Long::sum));
    if (!cpus.isEmpty()) reserved.put("cpu", 1000L * cpus.size());
    SortedMap<String, String> thresholds = thresholds();
    OF_RESOURCE.forEach((resource, signal) -> {
      long capacity = machine.capacity().getOrDefault(resource, 0L);
      long kept = threshold(signal, Optional.ofNullable(thresholds.get(signal)), capacity);
      reserved.merge(resource, kept, Long::sum);
    });
    reserved.keySet().retainAll(machine.capacity().keySet());
    reserved.values().removeIf(amount -> amount == 0);
    refuseMoreThanThereIs(reserved);
    return reserved;
  }

  private SortedMap<String, Long> amounts(String field) {
    SortedMap<String, Long> amounts = new TreeMap<>();
    tree.texts(field)
        .orElseGet(TreeMap::new)
        .forEach((resource, text) -> {
          String at = ManifestDocument.at(field, resource);
          if (!RESERVABLE.contains(resource))
            tree.problem(
                at, "cannot be reserved; needed is one of " + String.join(", ", RESERVABLE));
          else amounts.put(resource, amount(at, resource, text));
        });
    return amounts;
  }

  private long amount(String field, String resource, String text) {
    try {
      long amount = Quantities.amount(resource, text);
      if (amount < 0) tree.problem(field, "is \"" + text + "\", which is negative");
      return Math.max(0, amount);
    } catch (IllegalArgumentException e) {
      tree.problem(field, "is \"" + text + "\"; needed is a quantity, such as 500m or 1Gi");
      return 0;
    }
  }

  private SortedMap<String, String> thresholds() {
    Optional<SortedMap<String, String>> given = tree.texts("evictionHard");
    boolean merged = tree.flag("mergeDefaultEvictionSettings");
    SortedMap<String, String> thresholds =
        new TreeMap<>(given.isEmpty() || merged ? USUAL_THRESHOLDS : Map.of());
    given.ifPresent(thresholds::putAll);
    for (String signal : thresholds.keySet())
      if (!SIGNALS.contains(signal))
        tree.problem(
            ManifestDocument.at("evictionHard", signal),
            "is no signal of eviction; needed is one of " + String.join(", ", SIGNALS));
    return thresholds;
  }

  /// What a threshold keeps of this capacity; a share of nothing or of all is no threshold.
  private long threshold(String signal, Optional<String> text, long capacity) {
    if (text.isEmpty()) return 0;
    String field = ManifestDocument.at("evictionHard", signal);
    if (!text.get().endsWith("%")) {
      long amount = amount(field, "", text.get());
      if (amount == 0)
        tree.problem(field, "is \"" + text.get() + "\"; needed is more than nothing");
      return amount;
    }
    String number = text.get().substring(0, text.get().length() - 1);
    if (number.equals("0") || number.equals("100")) return 0;
    if (!number.matches("[0-9]{1,3}(\\.[0-9]{1,6})?") || Float.parseFloat(number) > 100) {
      tree.problem(field, "is \"" + text.get() + "\"; needed is a share from 0% to 100%");
      return 0;
    }
    // In single precision as upstream, so that both keep the same number of bytes.
    return (long) (capacity * (double) (Float.parseFloat(number) / 100));
  }

  private void refuseMoreThanThereIs(SortedMap<String, Long> reserved) {
    reserved.forEach((resource, amount) -> {
      long there = machine.capacity().getOrDefault(resource, 0L);
      if (amount > there)
        tree.problem(
            "systemReserved",
            "with kubeReserved and evictionHard is %d of %s; this machine has %d"
                .formatted(amount, resource, there));
    });
  }
}
