package dev.patchbay.sdk;

import java.time.Duration;
import java.util.random.RandomGenerator;

/// Pauses between attempts that double up to a longest one and are shortened at random by up to a
/// half, so that the plugins of many nodes do not ask in step.
record Backoff(Duration first, Duration longest, RandomGenerator random) {
  /// The pause after this many failures in a row, at least one.
  Duration after(int failures) {
    double doubled = (double) first.toNanos() * Math.pow(2, Math.min(failures - 1, 40));
    double capped = Math.min(doubled, (double) longest.toNanos());
    return Duration.ofNanos((long) (capped * (0.5 + random.nextDouble() / 2)));
  }
}
