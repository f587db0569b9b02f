package dev.patchbay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StatisticTest {
  @ParameterizedTest(name = "of 1 to {0}: p50 {1}, p99 {2}, max {3}")
  @CsvSource({"1, 1, 1, 1", "2, 1, 2, 2", "3, 2, 3, 3", "100, 50, 99, 100", "200, 100, 198, 200"})
  void isTheSampleOfTheNearestRank(int count, long median, long p99, long max) {
    long[] sorted = LongStream.rangeClosed(1, count).toArray();

    assertThat(Statistic.MEDIAN.of(sorted)).isEqualTo(median);
    assertThat(Statistic.P99.of(sorted)).isEqualTo(p99);
    assertThat(Statistic.MAX.of(sorted)).isEqualTo(max);
  }

  @Test
  void fewSamplesHaveNoPercentiles() {
    assertThat(Statistic.of(4)).containsExactly(Statistic.MEDIAN);
    assertThat(Statistic.of(99)).containsExactly(Statistic.MEDIAN, Statistic.MAX);
    assertThat(Statistic.of(100)).hasSize(3);
  }

  @ParameterizedTest(name = "{0} {1} are shown as {2}")
  @CsvSource({
    "1234567, MILLISECONDS, 1.23 ms",
    "12345678, MILLISECONDS, 12.3 ms",
    "123456789, MILLISECONDS, 123 ms",
    "98765, MICROSECONDS, 98.8 µs",
    "67108864, MEBIBYTES, 64.0 MiB"
  })
  void threeDigitsAreShown(long count, Unit unit, String shown) {
    assertThat(unit.show(count)).isEqualTo(shown);
  }
}
