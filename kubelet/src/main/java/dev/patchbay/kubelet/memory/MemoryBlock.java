package dev.patchbay.kubelet.memory;

import dev.patchbay.kubelet.topology.NumaMask;

/// Memory of one type that a container has, on a group of NUMA nodes as a whole.
///
/// @param type `memory` or `hugepages-<size>`
/// @param sizeBytes 0 for an init container's whose memory others use now
public record MemoryBlock(NumaMask nodes, String type, long sizeBytes) {
  MemoryBlock withSize(long newSizeBytes) {
    return new MemoryBlock(nodes, type, newSizeBytes);
  }
}
