package dev.patchbay.node;

import java.time.Duration;

/// How a thread waits for time to pass; tests pass their own.
@FunctionalInterface
interface Pause {
  void sleep(Duration time) throws InterruptedException;
}
