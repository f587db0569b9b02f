package dev.patchbay.kubelet.cpu;

import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.pods.QosClass;

/// How many CPUs of their own containers and pods ask for.
final class CpuDemand {
  private CpuDemand() {}

  /// 0 for a container that is to share its CPUs: its pod is not Guaranteed, it asks for a part of
  /// a CPU, or the pod asks for CPUs as a whole.
  static int of(PodSpec pod, ContainerSpec container) {
    if (pod.qosClass() != QosClass.GUARANTEED || !pod.resources().isEmpty()) return 0;
    return whole(container);
  }

  private static int whole(ContainerSpec container) {
    long thousandths = container.resources().request("cpu");
    return thousandths % 1000 == 0 ? Math.toIntExact(thousandths / 1000) : 0;
  }

  /// The most that containers of the pod own at one time: init containers run one after the other,
  /// beside the sidecars before them.
  static int of(PodSpec pod) {
    if (pod.qosClass() != QosClass.GUARANTEED || !pod.resources().isEmpty()) return 0;
    int most = 0;
    int sidecars = 0;
    for (ContainerSpec container : pod.initContainers()) {
      if (container.sidecar()) sidecars += whole(container);
      else most = Math.max(most, sidecars + whole(container));
    }
    int apps = pod.containers().stream().mapToInt(CpuDemand::whole).sum();
    return Math.max(most, sidecars + apps);
  }
}
