package dev.patchbay.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class QuantitiesTest {
  @ParameterizedTest
  @CsvSource({"cpu, 2000, 2", "cpu, 1500, 1500m", "memory, 2048, 2048", "a.b/c, 3, 3"})
  void amountsAreWrittenAndRead(String name, long amount, String text) {
    var written = Quantities.of(new TreeMap<>(Map.of(name, amount)));

    assertThat(written.get(name)).hasToString(text);
    assertThat(Quantities.amounts(written)).containsEntry(name, amount);
  }

  @Test
  void otherNotationsAreReadToo() {
    assertThat(
            Quantities.amounts(Map.of("memory", new Quantity("2Ki"), "a.b/c", new Quantity("1k"))))
        .containsEntry("memory", 2048L)
        .containsEntry("a.b/c", 1000L);
  }
}
