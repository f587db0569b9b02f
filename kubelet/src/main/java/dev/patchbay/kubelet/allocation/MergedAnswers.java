package dev.patchbay.kubelet.allocation;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.ContainerEdits.DeviceNode;
import dev.patchbay.model.ContainerEdits.Mount;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Several plugins' answers for one container put together.
///
/// @param edits of two answers for the same variable, annotation or container path, the earlier
/// @param conflicts what had to be dropped and differs from what was kept, in words
public record MergedAnswers(ContainerEdits edits, List<String> conflicts) {
  public MergedAnswers {
    conflicts = List.copyOf(conflicts);
  }

  /// Puts answers together; earlier ones win.
  public static MergedAnswers of(List<ContainerEdits> answers) {
    var merged = new MergedAnswers(ContainerEdits.NONE, List.of());
    for (ContainerEdits answer : answers) merged = merged.and(answer);
    return merged;
  }

  private MergedAnswers and(ContainerEdits answer) {
    List<String> all = new ArrayList<>(conflicts);
    addConflicts(all, "variable", edits.env(), answer.env());
    addConflicts(all, "annotation", edits.annotations(), answer.annotations());
    addConflicts(
        all,
        "device node",
        byKey(edits.deviceNodes(), DeviceNode::containerPath),
        byKey(answer.deviceNodes(), DeviceNode::containerPath));
    addConflicts(
        all,
        "mount",
        byKey(edits.mounts(), Mount::containerPath),
        byKey(answer.mounts(), Mount::containerPath));
    return new MergedAnswers(edits.and(answer), all);
  }

  private static <T> Map<String, T> byKey(List<T> items, Function<T, String> key) {
    return items.stream().collect(Collectors.toMap(key, Function.identity()));
  }

  private static <T> void addConflicts(
      List<String> conflicts, String kind, Map<String, T> kept, Map<String, T> more) {
    new TreeMap<>(more)
        .forEach((name, other) -> {
          T first = kept.get(name);
          if (first != null && !first.equals(other))
            conflicts.add("%s %s: %s, not %s".formatted(kind, name, first, other));
        });
  }
}
