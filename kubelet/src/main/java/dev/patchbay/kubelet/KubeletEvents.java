package dev.patchbay.kubelet;

import dev.patchbay.kubelet.cpu.CpuSet;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.model.ResourceName;
import java.time.Duration;
import java.util.SortedSet;

/// What a [Kubelet] tells while it works, for metrics and for whoever writes pod status. Called
/// from any thread, with no lock held; each call should return soon.
public interface KubeletEvents {
  /// Tells nobody.
  KubeletEvents NONE = new KubeletEvents() {};

  /// A plugin answered Allocate, or failed to.
  default void allocateCalled(ResourceName resource, Duration took) {}

  /// A container has all that it asks for, where the topology manager wants it; told in the scope
  /// `container` alone, and also of the containers before the one for which the pod is refused.
  default void containerPlaced(PodSpec pod, String container) {}

  /// A container owns CPUs, as it asked for; told when a pod is admitted, and also when it is
  /// refused after that.
  ///
  /// @param anew false when it owned them before, as after a restart of the kubelet
  default void cpusOwned(PodSpec pod, String container, CpuSet cpus, boolean anew) {}

  /// A pod was refused.
  default void podRefused(Admission.Refused why) {}

  /// It was decided about a pod, whichever way.
  ///
  /// @param took how long it took, plugins' answers included
  default void podDecided(PodSpec pod, Admission admission, Duration took) {}

  /// The health of devices changed, or they appeared, that these pods hold: their status has to be
  /// looked at again.
  default void deviceHealthChanged(SortedSet<String> podUids) {}
}
