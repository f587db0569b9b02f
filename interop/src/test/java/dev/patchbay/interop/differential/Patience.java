package dev.patchbay.interop.differential;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// Waits for what can be observed.
final class Patience {
  private static final Duration MOST = Duration.ofSeconds(10);
  private static final long LONGEST_PAUSE = 5_000_000;

  private Patience() {}

  /// Something that has to come does not come.
  static final class Exhausted extends RuntimeException {
    private static final long serialVersionUID = 1;

    Exhausted(String message) {
      super(message);
    }
  }

  /// Asks again and again.
  ///
  /// @param seen what was seen last, for the message
  static void await(String what, BooleanSupplier condition, Supplier<String> seen) {
    long end = System.nanoTime() + MOST.toNanos();
    for (long pause = 100_000;
        !condition.getAsBoolean();
        pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      if (System.nanoTime() > end)
        throw new Exhausted("%s: not within %s; seen: %s".formatted(what, MOST, seen.get()));
      LockSupport.parkNanos(pause);
    }
  }
}
