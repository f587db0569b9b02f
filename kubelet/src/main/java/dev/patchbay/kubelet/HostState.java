package dev.patchbay.kubelet;

import dev.patchbay.kubelet.cpu.CpuDecision;
import dev.patchbay.kubelet.cpu.ExclusiveCpus;
import dev.patchbay.kubelet.memory.MemoryDecision;
import dev.patchbay.kubelet.memory.PinnedMemory;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.topology.HintSource;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.TopologyHint;
import java.util.Collection;
import java.util.List;

/// Which containers own CPUs and which have memory bound to NUMA nodes: both at one instant.
public record HostState(ExclusiveCpus cpus, PinnedMemory memory) {
  /// Nothing is given out on this machine.
  ///
  /// @throws IllegalArgumentException when the machine does not have what is to be reserved
  static HostState start(HostSettings settings, NumaMachine machine) {
    return new HostState(
        ExclusiveCpus.start(settings.cpus(), machine),
        PinnedMemory.start(settings.memory(), machine));
  }

  /// What gives hints beside the devices, in the kubelet's order.
  List<HintSource> hintSources() {
    return List.of(cpus, memory);
  }

  /// The state in which a container has its CPUs and its memory; this one when it had them, or gets
  /// none.
  ///
  /// @param affinity what the hints of all resources were merged into; [TopologyHint#NONE] without
  ///   a topology manager
  /// @throws Refusal when it cannot have them
  HostState reserve(PodSpec pod, ContainerSpec container, TopologyHint affinity) throws Refusal {
    return new HostState(
        reserve(cpus.reserve(pod, container, affinity)),
        reserve(memory.reserve(pod, container, affinity)));
  }

  /// A container cannot have its CPUs or its memory, and so its pod is refused.
  static final class Refusal extends Exception {
    private static final long serialVersionUID = 1;
    private final transient Admission.Refused refused;

    private Refusal(Admission.Refused refused) {
      super(refused.message());
      this.refused = refused;
    }

    Admission.Refused refused() {
      return refused;
    }
  }

  private static ExclusiveCpus reserve(CpuDecision decision) throws Refusal {
    return switch (decision) {
      case CpuDecision.Granted granted -> granted.next();
      case CpuDecision.Refused refused ->
          throw new Refusal(
              switch (refused.reason()) {
                case TOO_FEW -> Admission.unexpected(refused.text());
                case PARTS_OF_CORES ->
                    new Admission.Refused(Admission.PARTS_OF_CORES, refused.text());
              });
    };
  }

  private static PinnedMemory reserve(MemoryDecision decision) throws Refusal {
    return switch (decision) {
      case MemoryDecision.Granted granted -> granted.next();
      case MemoryDecision.Refused refused ->
          throw new Refusal(Admission.unexpected(refused.text()));
    };
  }

  /// A container of the pod was started: memory of the init containers before it is free.
  HostState started(PodSpec pod, String container) {
    return new HostState(cpus, memory.started(pod, container));
  }

  /// The state without what a pod has.
  HostState release(String podUid) {
    return new HostState(cpus.release(podUid), memory.release(podUid));
  }

  /// The state without what containers have that are in none of these pods.
  HostState retain(Collection<PodSpec> pods) {
    if (cpus.state().held().isEmpty() && memory.state().held().isEmpty()) return this;
    return new HostState(cpus.retain(pods), memory.retain(pods));
  }
}
