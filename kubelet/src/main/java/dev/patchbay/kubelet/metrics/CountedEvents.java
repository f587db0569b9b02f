package dev.patchbay.kubelet.metrics;

import dev.patchbay.kubelet.Admission;
import dev.patchbay.kubelet.KubeletEvents;
import dev.patchbay.kubelet.metrics.KubeletMetrics.Boundary;
import dev.patchbay.kubelet.metrics.KubeletMetrics.Scope;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.topology.TopologySettings;
import dev.patchbay.model.ResourceName;
import java.time.Duration;
import java.util.SortedSet;

/// Counts what a kubelet tells, and tells it on.
public final class CountedEvents implements KubeletEvents {
  private final KubeletMetrics metrics;
  private final Scope scope;
  private final boolean aligns;
  private final boolean demandsAlignment;
  private final KubeletEvents next;

  /// @param topology of the kubelet
  /// @param next who is told as well
  public CountedEvents(KubeletMetrics metrics, TopologySettings topology, KubeletEvents next) {
    this.metrics = metrics;
    this.next = next;
    scope = topology.scope().equals("pod") ? Scope.POD : Scope.CONTAINER;
    aligns = !topology.policy().equals("none");
    demandsAlignment = topology.policy().equals("single-numa-node");
    if (aligns) for (Scope each : Scope.values()) metrics.showAlignment(each, Boundary.NUMA_NODE);
  }

  @Override
  public void allocateCalled(ResourceName resource, Duration took) {
    metrics.allocation(resource, took);
    next.allocateCalled(resource, took);
  }

  @Override
  public void podRefused(Admission.Refused why) {
    metrics.admissionRejected(why.reason());
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
    if (demandsAlignment && aligned) countAligned(pod);
    if (demandsAlignment
        && admission instanceof Admission.Refused refused
        && refused.reason().equals("TopologyAffinityError"))
      metrics.notAligned(scope, Boundary.NUMA_NODE);
    next.podDecided(pod, admission, took);
  }

  private void countAligned(PodSpec pod) {
    int times =
        switch (scope) {
          case POD -> 1;
          case CONTAINER -> pod.allContainers().size();
        };
    for (int i = 0; i < times; i++) metrics.aligned(scope, Boundary.NUMA_NODE);
  }

  @Override
  public void deviceHealthChanged(SortedSet<String> podUids) {
    next.deviceHealthChanged(podUids);
  }
}
