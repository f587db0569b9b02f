package dev.patchbay.testkit;

import java.time.Duration;

/// How long a contract waits.
///
/// @param patience for anything that has to happen; more than the plugin's own deadlines and
///   longest pause together
/// @param refusal for how long Register is refused without a break
/// @param mostAttempts how many Register calls in that time are not too many
public record Pace(Duration patience, Duration refusal, int mostAttempts) {
  /// For a plugin with deadlines and pauses of some ten seconds.
  public static final Pace USUAL = new Pace(Duration.ofSeconds(90), Duration.ofSeconds(20), 100);

  /// For a plugin whose deadlines and pauses were set to less than a second for the test.
  public static final Pace SHORT = new Pace(Duration.ofSeconds(30), Duration.ofSeconds(3), 60);
}
