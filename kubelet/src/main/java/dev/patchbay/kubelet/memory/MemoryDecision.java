package dev.patchbay.kubelet.memory;

import java.util.List;

/// The answer to one container's request for memory.
public sealed interface MemoryDecision {
  /// It has these blocks now.
  ///
  /// @param next the state that says so; the asked one itself when nothing changed
  /// @param blocks none for a container whose memory is bound to no node
  record Granted(PinnedMemory next, List<MemoryBlock> blocks) implements MemoryDecision {
    public Granted {
      blocks = List.copyOf(blocks);
    }
  }

  /// It cannot have them.
  ///
  /// @param text the kubelet's words
  record Refused(String text) implements MemoryDecision {}
}
