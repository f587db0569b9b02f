package dev.patchbay.kubelet.podresources;

import dev.patchbay.kubelet.podresources.PodHoldings.MemoryShare;
import dev.patchbay.model.Device;
import dev.patchbay.model.ResourceName;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;

/// What a node could give to pods, given or not.
///
/// @param devices healthy ones as their plugins listed them last, in the order of their ids.
///   Immutable; not copied, because there may be many
/// @param cpus that may be given to one container alone; none without a policy that does that
/// @param memory that may be reserved; none without a policy that does that
public record Allocatable(
    SortedMap<ResourceName, ? extends Collection<Device>> devices,
    List<Integer> cpus,
    List<MemoryShare> memory) {
  public Allocatable {
    cpus = List.copyOf(cpus);
    memory = List.copyOf(memory);
  }
}
