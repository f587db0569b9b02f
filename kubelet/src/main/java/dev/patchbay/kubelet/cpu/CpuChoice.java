package dev.patchbay.kubelet.cpu;

import dev.patchbay.kubelet.cpu.CpuLayout.Level;

/// Chooses CPUs as the options of the static policy say.
record CpuChoice(CpuLayout layout, CpuOptions options) {
  /// As many of the free CPUs as are needed, which must be there. They can be fewer with
  /// [CpuOption#EVEN_NODES]: see [EvenChoice].
  CpuSet of(CpuSet free, int needed) {
    return options.has(CpuOption.EVEN_NODES)
        ? EvenChoice.of(layout, free, needed, groupSize())
        : PackedChoice.of(layout, free, needed, grain());
  }

  /// How many CPUs are given out together.
  private int groupSize() {
    return options.has(CpuOption.WHOLE_CORES) ? layout.evenShare(Level.CORE) : 1;
  }

  private PackedChoice.Grain grain() {
    if (options.has(CpuOption.ONE_CACHE)) return PackedChoice.Grain.CACHES;
    return options.has(CpuOption.MANY_CORES) ? PackedChoice.Grain.CPUS : PackedChoice.Grain.CORES;
  }
}
