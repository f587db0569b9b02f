package dev.patchbay.kubelet.podresources;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/// Lets so many calls pass per second, and so many at once: a bucket into which a token falls every
/// so often, until it is full. Thread-safe; nobody waits.
///
/// Held is the one number from which the bucket's level follows: the time at which it will be full
/// again if nobody takes a token. To take one moves that time by the pause between two tokens.
final class CallLimit {
  private final LongSupplier nanoTime;
  private final long start;
  private final long pauseNanos;
  private final long toleranceNanos;

  /// In nanoseconds since the start.
  private final AtomicLong fullAt = new AtomicLong();

  /// @param nanoTime a clock like [System#nanoTime]
  CallLimit(int perSecond, int burst, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    start = nanoTime.getAsLong();
    pauseNanos = Duration.ofSeconds(1).toNanos() / perSecond;
    toleranceNanos = pauseNanos * (burst - 1);
  }

  /// Takes a token.
  ///
  /// @return whether there was one
  boolean allows() {
    long now = nanoTime.getAsLong() - start;
    while (true) {
      long seen = fullAt.get();
      if (seen - now > toleranceNanos) return false;
      if (fullAt.compareAndSet(seen, Math.max(seen, now) + pauseNanos)) return true;
    }
  }
}
