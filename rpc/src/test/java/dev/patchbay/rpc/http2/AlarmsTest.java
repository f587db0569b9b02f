package dev.patchbay.rpc.http2;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.rpc.http2.Alarms.SetAlarm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AlarmsTest {
  private static final long HOUR = Duration.ofHours(1).toNanos();

  private final Alarms alarms = new Alarms();
  private final List<String> rung = new ArrayList<>();

  @Test
  void withoutAnAlarmTheThreadMayWaitForEver() {
    assertThat(alarms.patience()).isZero();
    assertThat(alarms.due()).isEmpty();
  }

  @Test
  void alarmsRingInTheOrderOfTheirTimesAndOnce() {
    set(0, "first");
    set(0, "second");
    set(HOUR, "later");

    alarms.due().forEach(Runnable::run);
    alarms.due().forEach(Runnable::run);

    assertThat(rung).containsExactly("first", "second");
  }

  @Test
  void oneThatIsCancelledDoesNotRing() {
    SetAlarm cancelled = set(0, "cancelled");
    set(0, "kept");
    alarms.cancel(cancelled.alarm());

    alarms.due().forEach(Runnable::run);

    assertThat(rung).containsExactly("kept");
  }

  @Test
  void theThreadWaitsNoLongerThanUntilTheNextOne() {
    set(2 * HOUR, "later");
    set(HOUR, "sooner");

    assertThat(alarms.patience()).isBetween(3_500_000L, 3_600_000L);
  }

  @Test
  void theThreadIsWokenWhenItWouldSleepLonger() {
    boolean first = set(2 * HOUR, "first").isEarlier();
    long untilFirst = alarms.patience();
    boolean sooner = set(HOUR, "sooner").isEarlier();
    long untilSooner = alarms.patience();
    boolean later = set(3 * HOUR, "later").isEarlier();

    assertThat(first).isTrue();
    assertThat(untilSooner).isLessThan(untilFirst);
    assertThat(sooner).isTrue();
    assertThat(later).isFalse();
  }

  @Test
  void itIsNotWokenForOneAfterAnAlarmThatWasCancelled() {
    SetAlarm cancelled = set(HOUR, "cancelled");
    assertThat(alarms.patience()).isLessThanOrEqualTo(3_600_000L);
    alarms.cancel(cancelled.alarm());

    assertThat(alarms.patience()).isBetween(3_500_000L, 3_600_000L);
    assertThat(set(2 * HOUR, "next").isEarlier()).isFalse();
  }

  private SetAlarm set(long afterNanos, String name) {
    return alarms.set(afterNanos, () -> rung.add(name));
  }
}
