package dev.patchbay.kubelet.memory;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// What the state file says.
///
/// @param policy the policy under which it was written
/// @param machine the NUMA nodes' memory; empty with the policy `None`
/// @param held what containers have: pod uid, container, blocks
public record MemoryState(
    String policy,
    SortedMap<Integer, NodeMemory> machine,
    SortedMap<String, SortedMap<String, List<MemoryBlock>>> held) {
  public MemoryState {
    machine = Collections.unmodifiableSortedMap(new TreeMap<>(machine));
    SortedMap<String, SortedMap<String, List<MemoryBlock>>> copy = new TreeMap<>();
    held.forEach((pod, containers) ->
        copy.put(pod, Collections.unmodifiableSortedMap(new TreeMap<>(containers))));
    held = Collections.unmodifiableSortedMap(copy);
  }
}
