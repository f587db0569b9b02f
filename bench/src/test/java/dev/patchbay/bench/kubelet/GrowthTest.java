package dev.patchbay.bench.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class GrowthTest {
  private static final List<Integer> SIZES = List.of(16, 256, 4_096, 10_000);

  static List<Arguments> growths() {
    return List.of(
        growth("hardly", _ -> 500),
        growth("hardly", n -> 500 + n / 100),
        growth("linear, or n log n", n -> 300 + n),
        growth("linear, or n log n", n -> 300 + n * Math.log(n) / 10),
        growth("less than linear", n -> 300 + 50 * Math.sqrt(n)),
        growth("more than linear", n -> 300 + Math.pow(n, 1.5) / 100),
        growth("quadratic", n -> 300 + n * n / 1_000));
  }

  private static Arguments growth(String word, ToDoubleFunction<Double> micros) {
    var times = new TreeMap<Integer, Long>();
    for (int size : SIZES) times.put(size, (long) micros.applyAsDouble((double) size));
    return Arguments.of(word, times);
  }

  @ParameterizedTest
  @MethodSource("growths")
  void aGrowthHasItsName(String word, SortedMap<Integer, Long> times) {
    assertThat(Growth.of(times)).startsWith(word);
  }

  @Test
  void timesThatGoUpAndDownAreNoGrowth() {
    var times = new TreeMap<>(Map.of(16, 52L, 256, 79L, 4_096, 50L, 10_000, 81L));

    assertThat(Growth.of(times)).isEqualTo("not steadily: 0.05 to 0.08 ms");
  }

  @Test
  void twoSizesSayNothing() {
    assertThat(Growth.of(new TreeMap<>(Map.of(16, 1L, 256, 2L)))).isEqualTo("–");
  }
}
