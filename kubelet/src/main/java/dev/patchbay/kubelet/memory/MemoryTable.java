package dev.patchbay.kubelet.memory;

/// What one NUMA node has of one type of memory, in bytes.
///
/// @param systemReserved what no container gets
/// @param allocatable what containers can get, those that have it included
/// @param reserved what containers have
/// @param free what is left of the allocatable
public record MemoryTable(
    long total, long systemReserved, long allocatable, long reserved, long free) {
  /// Of a type that the node does not have.
  static final MemoryTable ABSENT = new MemoryTable(0, 0, 0, 0, 0);

  /// The same with this many bytes more in use; fewer when negative.
  MemoryTable using(long bytes) {
    return new MemoryTable(total, systemReserved, allocatable, reserved + bytes, free - bytes);
  }
}
