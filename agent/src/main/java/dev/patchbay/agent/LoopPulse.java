package dev.patchbay.agent;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/// When a loop was last seen at work, and until when it must be seen again. Written by the loop,
/// read by anybody.
final class LoopPulse {
  /// Looking at a host takes milliseconds. What takes so long hangs in a broken device's driver.
  static final Duration WORK_AT_MOST = Duration.ofMinutes(5);

  /// A busy machine lets a thread wait.
  private static final Duration LATE_AT_MOST = Duration.ofMinutes(1);

  /// @param doing in words, after which follows since when
  private record Beat(String doing, Instant since, Duration atMost) {}

  private final InstantSource clock;
  private volatile Beat beat;

  LoopPulse(InstantSource clock) {
    this.clock = clock;
    beat = new Beat("not started", clock.instant(), LATE_AT_MOST);
  }

  /// It begins something that ends soon.
  void works(String doing) {
    beat = new Beat(doing, clock.instant(), WORK_AT_MOST);
  }

  /// It has nothing to do for so long.
  void rests(Duration atMost) {
    beat = new Beat("resting", clock.instant(), atMost.plus(LATE_AT_MOST));
  }

  /// Why it is not at work as it should be: `looking at the host for 312 s`.
  Optional<String> trouble() {
    Beat last = beat;
    Duration passed = Duration.between(last.since(), clock.instant());
    return passed.compareTo(last.atMost()) <= 0
        ? Optional.empty()
        : Optional.of(
            "%s for %d s; at most %d s are usual"
                .formatted(last.doing(), passed.toSeconds(), last.atMost().toSeconds()));
  }
}
