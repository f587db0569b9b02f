package dev.patchbay.kubelet.memory;

import dev.patchbay.kubelet.topology.NumaMask;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/// The memory of one NUMA node.
///
/// @param assignments how many blocks lie on it
/// @param tables by type of memory
/// @param group the nodes on which its blocks lie: itself alone, or a group that shares every block
///   and that no block of another group may touch
public record NodeMemory(int assignments, SortedMap<String, MemoryTable> tables, NumaMask group) {
  public NodeMemory {
    tables = Collections.unmodifiableSortedMap(new TreeMap<>(tables));
  }

  MemoryTable table(String type) {
    return tables.getOrDefault(type, MemoryTable.ABSENT);
  }

  NodeMemory with(String type, MemoryTable table) {
    SortedMap<String, MemoryTable> changed = new TreeMap<>(tables);
    changed.put(type, table);
    return new NodeMemory(assignments, changed, group);
  }

  NodeMemory with(int newAssignments, NumaMask newGroup) {
    return new NodeMemory(newAssignments, tables, newGroup);
  }
}
