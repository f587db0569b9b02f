package dev.patchbay.cluster;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;

/// What to do when the API server does not do what it is asked to. Used by one thread.
final class Retries {
  private static final Duration FIRST = Duration.ofMillis(200);
  private static final Duration LONGEST = Duration.ofSeconds(10);

  private Duration next = FIRST;

  /// Whether the answer of this failure would be the same again: the request was understood and
  /// refused, other than for lack of time.
  static boolean isFinal(KubernetesClientException e) {
    int code = e.getCode();
    return code >= 400 && code < 500 && code != 408 && code != 429 && !isDenied(e);
  }

  /// Whether it was refused for lack of rights, which somebody may grant.
  static boolean isDenied(KubernetesClientException e) {
    return e.getCode() == 401 || e.getCode() == 403;
  }

  static boolean isMissing(KubernetesClientException e) {
    return e.getCode() == 404;
  }

  static boolean isConflict(KubernetesClientException e) {
    return e.getCode() == 409;
  }

  /// It went well.
  void succeeded() {
    next = FIRST;
  }

  /// How long to wait after a failure: twice as long each time.
  Duration afterFailure() {
    Duration wait = next;
    Duration doubled = next.multipliedBy(2);
    next = doubled.compareTo(LONGEST) > 0 ? LONGEST : doubled;
    return wait;
  }
}
