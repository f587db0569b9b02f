package dev.patchbay.kubelet.cpu;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/// What the state file says.
///
/// @param policy the policy under which it was written
/// @param shared the CPUs of everyone, the reserved ones included
/// @param held what containers own: pod uid, container, CPUs
public record CpuState(
    String policy, CpuSet shared, SortedMap<String, SortedMap<String, CpuSet>> held) {
  public CpuState {
    SortedMap<String, SortedMap<String, CpuSet>> copy = new TreeMap<>();
    held.forEach((pod, containers) ->
        copy.put(pod, Collections.unmodifiableSortedMap(new TreeMap<>(containers))));
    held = Collections.unmodifiableSortedMap(copy);
  }
}
