package dev.patchbay.kubelet;

import java.util.Optional;
import java.util.Set;

/// The topology manager's opinion: on which NUMA nodes a container's devices should lie.
@FunctionalInterface
public interface NumaAffinity {
  /// No opinion about anything.
  NumaAffinity NONE = (_, _) -> Optional.empty();

  /// The nodes for this container; empty without an opinion.
  Optional<Set<Integer>> nodesFor(String podUid, String container);
}
