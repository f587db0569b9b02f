package dev.patchbay.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// How long the SDK waits before it asks again.
final class BackoffTest {
  private static final PluginHostConfig USUAL = PluginHostConfig.of(Path.of("/var/lib/kubelet"));

  @Test
  void pausesDoubleUpToTheLongestAndAreShortenedByUpToAHalf() {
    Backoff backoff = seeded(1);
    for (int failures = 1; failures <= 2_000; failures++) {
      double whole = Math.min(100 * Math.pow(2, failures - 1), 30_000);
      assertThat((double) backoff.after(failures).toMillis())
          .as("pause in ms after %d failures", failures)
          .isBetween(whole / 2 - 1, whole);
    }
  }

  @Test
  void twoPluginsDoNotAskInStep() {
    Backoff one = seeded(1);
    Backoff other = seeded(2);
    assertThat(IntStream.rangeClosed(1, 20).mapToObj(one::after))
        .doesNotContainAnyElementsOf(IntStream.rangeClosed(1, 20).mapToObj(other::after).toList());
  }

  @Test
  void aMinuteOfRefusalsMeansTenToTwentyCalls() {
    for (int seed = 0; seed < 100; seed++) {
      Backoff backoff = seeded(seed);
      Duration passed = Duration.ZERO;
      int attempts = 1;
      while (passed.compareTo(Duration.ofMinutes(1)) < 0)
        passed = passed.plus(backoff.after(attempts++));
      assertThat(attempts).as("Register calls in a minute, seed %d", seed).isBetween(10, 20);
    }
  }

  private static Backoff seeded(long seed) {
    return new Backoff(USUAL.firstRetry(), USUAL.longestRetry(), new Random(seed));
  }
}
