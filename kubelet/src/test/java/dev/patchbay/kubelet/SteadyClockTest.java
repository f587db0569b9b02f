package dev.patchbay.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
  private static final Instant START = Instant.parse("1970-01-01T00:00:05Z");

  @Test
  void itGoesOnAsTheMachineRuns() {
    var nanos = new AtomicLong(Long.MAX_VALUE - 1);
    var clock = new SteadyClock(START, nanos::get);

    assertThat(clock.instant()).isEqualTo(START);
    nanos.addAndGet(3_000_000_000L);

    assertThat(clock.instant()).as("over the end of the numbers").isEqualTo(START.plusSeconds(3));
  }

  @Test
  void itBeginsWithTheTimeOfDay() {
    assertThat(SteadyClock.started().instant())
        .isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
  }
}
