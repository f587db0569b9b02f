package dev.patchbay.kubelet;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/// A clock that stands still until a test moves it.
final class FakeClock extends Clock {
  private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

  /// Lets this much time pass.
  synchronized void advance(Duration time) {
    now = now.plus(time);
  }

  @Override
  public Instant instant() {
    return now;
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException("this clock knows UTC alone, not " + zone);
  }
}
