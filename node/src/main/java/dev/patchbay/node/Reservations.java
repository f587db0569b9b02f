package dev.patchbay.node;

import dev.patchbay.kubelet.NodeResources;
import dev.patchbay.kubelet.pods.PodSpec;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/// Which pods count against the node's resources. So two pods that wait for the same device are not
/// sent to the device manager both, of which it would refuse one for good. Thread-safe.
final class Reservations {
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, PodSpec> pods = new LinkedHashMap<>();

  /// Takes what the pod needs, if the node has it. A pod that holds devices already waits for its
  /// plugins only.
  ///
  /// @return why the pod has to wait, or empty when it has its place
  Optional<String> take(PodSpec pod, NodeResources resources) {
    lock.lock();
    try {
      Collection<PodSpec> others = pods.containsKey(pod.uid()) ? List.of() : pods.values();
      Optional<String> problem = Demand.problem(pod, resources, others);
      if (problem.isEmpty()) pods.put(pod.uid(), pod);
      return problem;
    } finally {
      lock.unlock();
    }
  }

  /// Counts a pod that holds devices since before.
  void keep(PodSpec pod) {
    lock.lock();
    try {
      pods.put(pod.uid(), pod);
    } finally {
      lock.unlock();
    }
  }

  /// The pod needs nothing any more.
  void give(String podUid) {
    lock.lock();
    try {
      pods.remove(podUid);
    } finally {
      lock.unlock();
    }
  }
}
