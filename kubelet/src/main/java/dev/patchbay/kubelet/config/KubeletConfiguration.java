package dev.patchbay.kubelet.config;

import dev.patchbay.kubelet.HostSettings;
import dev.patchbay.kubelet.KubeletSettings;
import dev.patchbay.kubelet.KubernetesMinor;
import dev.patchbay.kubelet.cpu.CpuSettings;
import dev.patchbay.kubelet.memory.MemorySettings;
import dev.patchbay.kubelet.topology.TopologySettings;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// What a kubelet's configuration comes to on one machine.
///
/// @param minor the version of Kubernetes that is followed
/// @param machine what there is to give
/// @param topology of the topology manager
/// @param cpus how CPUs are given out
/// @param memory how memory is given out
/// @param featureGates those that were set, by name
/// @param reserved what pods cannot have of the node's resources: for the system, for the kubelet,
///   and the threshold of a hard eviction; as [MachineRoom#capacity], without what is not reserved
/// @param maxPods how many pods may be there at once
public record KubeletConfiguration(
    KubernetesMinor minor,
    MachineRoom machine,
    TopologySettings topology,
    CpuSettings cpus,
    MemorySettings memory,
    SortedMap<String, Boolean> featureGates,
    SortedMap<String, Long> reserved,
    int maxPods) {
  public KubeletConfiguration {
    featureGates = Collections.unmodifiableSortedMap(new TreeMap<>(featureGates));
    reserved = Collections.unmodifiableSortedMap(new TreeMap<>(reserved));
  }

  /// What the node has, with the number of pods.
  public SortedMap<String, Long> capacity() {
    SortedMap<String, Long> capacity = new TreeMap<>(machine.capacity());
    capacity.put("pods", (long) maxPods);
    return capacity;
  }

  /// What pods can have of it.
  public SortedMap<String, Long> allocatable() {
    SortedMap<String, Long> allocatable = capacity();
    allocatable.replaceAll((name, amount) -> Math.max(0, amount - reserved.getOrDefault(name, 0L)));
    return allocatable;
  }

  /// These settings with what the configuration says.
  ///
  /// @param stateDirectory where the state files of CPUs and memory lie
  public KubeletSettings over(KubeletSettings settings, Path stateDirectory) {
    return settings
        .withMinor(minor)
        .withTopology(topology, machine.nodes())
        .withHost(new HostSettings(cpus, memory, Optional.of(stateDirectory)))
        .withFeatureGates(featureGates)
        .withNodeAllocatable(allocatable());
  }
}
