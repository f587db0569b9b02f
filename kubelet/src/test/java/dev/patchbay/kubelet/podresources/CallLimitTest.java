package dev.patchbay.kubelet.podresources;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CallLimitTest {
  /// Where such a clock begins is anybody's guess.
  private static final long BEGIN = Long.MAX_VALUE - 5;

  private final AtomicLong nanos = new AtomicLong(BEGIN);
  private final CallLimit limit = new CallLimit(100, 10, nanos::get);

  @Test
  void asManyAsTheBurstPassAtOnce() {
    assertThat(passed(25)).isEqualTo(10);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 9})
  void afterThatOneForEachPause(int pauses) {
    passed(10);

    pass(Duration.ofMillis(10L * pauses));

    assertThat(passed(25)).isEqualTo(pauses);
  }

  @Test
  void beforeThePauseIsOverNonePasses() {
    passed(10);

    pass(Duration.ofNanos(9_999_999));

    assertThat(passed(1)).isZero();
  }

  @Test
  void whoWaitsLongSavesUpNoMoreThanTheBurst() {
    passed(10);

    pass(Duration.ofDays(400));

    assertThat(passed(25)).isEqualTo(10);
  }

  @Test
  void aCallThatIsRefusedCostsNothing() {
    passed(1000);

    pass(Duration.ofMillis(10));

    assertThat(passed(1000)).isEqualTo(1);
  }

  @Test
  void ofManyAtOnceNotOnePassesTooMuch() throws Exception {
    var passed = new AtomicInteger();
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      Callable<Integer> call = () -> limit.allows() ? passed.incrementAndGet() : 0;
      threads.invokeAll(IntStream.range(0, 1000).mapToObj(_ -> call).toList());
    }

    assertThat(passed).hasValue(10);
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  private int passed(int calls) {
    return (int) IntStream.range(0, calls).filter(_ -> limit.allows()).count();
  }
}
