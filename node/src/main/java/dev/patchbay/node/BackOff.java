package dev.patchbay.node;

import java.time.Duration;

/// How long to wait before the next attempt: twice as long each time, up to a limit, and from the
/// beginning once an attempt went well for long. The kubelet's numbers for containers that crash
/// are 10 s, doubled up to 5 minutes, forgotten after 10 minutes of running.
final class BackOff {
  private final Duration first;
  private final Duration longest;
  private Duration next;

  /// @param first the first wait that is not zero
  private BackOff(Duration before, Duration first, Duration longest) {
    this.first = first;
    this.longest = longest;
    this.next = before;
  }

  /// For a container that ends: the first restart is at once.
  static BackOff ofCrashes() {
    return new BackOff(Duration.ZERO, Duration.ofSeconds(10), Duration.ofMinutes(5));
  }

  /// For a container that cannot be made, since a plugin refuses or a file is missing.
  static BackOff ofAttempts() {
    return new BackOff(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofMinutes(1));
  }

  /// The wait after an attempt that went well for this long.
  Duration after(Duration well) {
    if (well.compareTo(longest.multipliedBy(2)) >= 0) next = Duration.ZERO;
    Duration wait = next;
    Duration doubled = next.isZero() ? first : next.multipliedBy(2);
    next = doubled.compareTo(longest) > 0 ? longest : doubled;
    return wait;
  }
}
