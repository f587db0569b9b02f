package dev.patchbay.kubelet;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/// Time that goes on evenly: it begins with the machine's time of day, and takes no part when that
/// is set. With it grace periods and pauses are as long as they are, also on a machine that learns
/// what time it is after its start.
public final class SteadyClock implements InstantSource {
  private final Instant start;
  private final LongSupplier nanoTime;
  private final long origin;

  /// @param nanoTime like [System#nanoTime]
  SteadyClock(Instant start, LongSupplier nanoTime) {
    this.start = start;
    this.nanoTime = nanoTime;
    origin = nanoTime.getAsLong();
  }

  /// A clock that shows the time of day now.
  public static SteadyClock started() {
    return new SteadyClock(InstantSource.system().instant(), System::nanoTime);
  }

  @Override
  public Instant instant() {
    return start.plusNanos(nanoTime.getAsLong() - origin);
  }
}
