package dev.patchbay.node;

import java.util.Optional;

/// Something that happened to a pod and that its owner would want to know.
///
/// @param container the container that it is about; empty for the pod as a whole
/// @param reason one word, in the kubelet's own words: `Started`, `BackOff`, `OutOfcpu`
/// @param message for people
public record PodEvent(Kind kind, Optional<String> container, String reason, String message) {
  /// How bad it is.
  public enum Kind {
    /// Part of any pod's life.
    NORMAL,
    /// Somebody should look.
    WARNING
  }

  static PodEvent ofPod(String reason, String message) {
    return new PodEvent(Kind.WARNING, Optional.empty(), reason, message);
  }

  static PodEvent of(Kind kind, String container, String reason, String message) {
    return new PodEvent(kind, Optional.of(container), reason, message);
  }
}
