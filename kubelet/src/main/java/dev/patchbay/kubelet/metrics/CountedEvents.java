package dev.patchbay.kubelet.metrics;

import dev.patchbay.kubelet.Admission;
import dev.patchbay.kubelet.KubeletEvents;
import dev.patchbay.kubelet.KubeletSettings;
import dev.patchbay.kubelet.cpu.CpuOption;
import dev.patchbay.kubelet.cpu.CpuPolicy;
import dev.patchbay.kubelet.cpu.CpuSet;
import dev.patchbay.kubelet.metrics.KubeletMetrics.Boundary;
import dev.patchbay.kubelet.metrics.KubeletMetrics.Scope;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.TopologySettings;
import dev.patchbay.model.ResourceName;
import java.time.Duration;
import java.util.List;
import java.util.SortedSet;

/// Counts what a kubelet tells, and tells it on.
public final class CountedEvents implements KubeletEvents {
  private final KubeletMetrics metrics;
  private final Scope scope;
  private final boolean aligns;
  private final boolean demandsAlignment;
  private final boolean givesWholeCores;
  private final NumaMachine machine;
  private final KubeletEvents next;

  /// @param settings of the kubelet
  /// @param next who is told as well
  public CountedEvents(KubeletMetrics metrics, KubeletSettings settings, KubeletEvents next) {
    this.metrics = metrics;
    this.next = next;
    TopologySettings topology = settings.topology();
    scope = topology.scope().equals("pod") ? Scope.POD : Scope.CONTAINER;
    aligns = !topology.policy().equals("none");
    demandsAlignment = topology.policy().equals("single-numa-node");
    givesWholeCores = settings.host().cpus().options().has(CpuOption.WHOLE_CORES);
    machine = settings.machine();
    if (aligns) for (Scope each : Scope.values()) metrics.showAlignment(each, Boundary.NUMA_NODE);
    if (settings.host().cpus().policy() == CpuPolicy.STATIC)
      for (Boundary each : List.of(Boundary.PHYSICAL_CPU, Boundary.UNCORE_CACHE))
        metrics.showAlignment(Scope.CONTAINER, each);
  }

  @Override
  public void allocateCalled(ResourceName resource, Duration took) {
    metrics.allocation(resource, took);
    next.allocateCalled(resource, took);
  }

  @Override
  public void containerPlaced(PodSpec pod, String container) {
    if (demandsAlignment) metrics.aligned(scope, Boundary.NUMA_NODE);
    next.containerPlaced(pod, container);
  }

  @Override
  public void cpusOwned(PodSpec pod, String container, CpuSet cpus, boolean anew) {
    if (givesWholeCores) metrics.aligned(Scope.CONTAINER, Boundary.PHYSICAL_CPU);
    if (anew && machine.shareCache(cpus.toList()))
      metrics.aligned(Scope.CONTAINER, Boundary.UNCORE_CACHE);
    next.cpusOwned(pod, container, cpus, anew);
  }

  @Override
  public void podRefused(Admission.Refused why) {
    metrics.admissionRejected(why.reason());
    if (why.reason().equals(Admission.PARTS_OF_CORES))
      metrics.notAligned(Scope.CONTAINER, Boundary.PHYSICAL_CPU);
    next.podRefused(why);
  }

  @Override
  public void podDecided(PodSpec pod, Admission admission, Duration took) {
    metrics.topologyAdmission(took);
    boolean aligned =
        switch (admission) {
          case Admission.Admitted _ -> true;
          // There was no room, which shows after everything was aligned.
          case Admission.Refused refused -> refused.reason().startsWith("OutOf");
        };
    if (aligns && !aligned) metrics.topologyError();
    if (demandsAlignment && aligned && scope == Scope.POD)
      metrics.aligned(scope, Boundary.NUMA_NODE);
    if (demandsAlignment
        && admission instanceof Admission.Refused refused
        && refused.reason().equals("TopologyAffinityError"))
      metrics.notAligned(scope, Boundary.NUMA_NODE);
    next.podDecided(pod, admission, took);
  }

  @Override
  public void deviceHealthChanged(SortedSet<String> podUids) {
    next.deviceHealthChanged(podUids);
  }
}
