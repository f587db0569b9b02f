package dev.patchbay.kubelet;

import dev.patchbay.kubelet.pods.PodSpec;
import java.util.Optional;

/// A pod that a [Kubelet] was told of and that was not taken away again.
///
/// @param admission how it was decided about; empty as long as it was not
public record KnownPod(PodSpec spec, PodPhase phase, Optional<Admission> admission) {
  /// Whether it keeps what was allocated to it.
  public boolean isActive() {
    return !phase.isTerminal();
  }

  /// Whether it was admitted and has not ended.
  public boolean isRunning() {
    return isActive() && admission.filter(Admission.Admitted.class::isInstance).isPresent();
  }

  KnownPod in(PodPhase newPhase) {
    return new KnownPod(spec, newPhase, admission);
  }
}
