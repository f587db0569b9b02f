package dev.patchbay.kubelet.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CpuSetTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "''          | ''",
        "0           | 0",
        "0,1,2       | 0-2",
        "5,3,4,9     | 3-5,9",
        "0-3,2-6     | 0-6",
        "1-1,63-64   | 1,63-64"
      })
  void readsAndWritesTheListFormat(String list, String canonical) {
    assertThat(CpuSet.parse(list)).hasToString(canonical);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "1,", "3-1", "-1", "1-", "1 ", "9999999999"})
  void refusesWhatIsNoList(String list) {
    assertThatThrownBy(() -> CpuSet.parse(list)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void isNeverChanged() {
    CpuSet set = CpuSet.of(1, 2);

    set.union(CpuSet.of(3));
    set.minus(CpuSet.of(1));
    set.intersection(CpuSet.EMPTY);

    assertThat(set).isEqualTo(CpuSet.parse("1-2"));
  }
}
