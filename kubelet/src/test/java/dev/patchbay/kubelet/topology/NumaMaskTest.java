package dev.patchbay.kubelet.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NumaMaskTest {
  @ParameterizedTest
  @CsvSource({"0, 1", "1, 0 1", "0 3, 1 2 3", "1 2, 0 3", "0 1, 0 2", "62, 63", "0 62, 0 63"})
  void theNarrowerSetComesFirstThenTheSmallerNumber(String first, String second) {
    assertThat(Nodes.mask(first)).isLessThan(Nodes.mask(second));
    assertThat(Nodes.mask(first).isNarrowerThan(Nodes.mask(second))).isTrue();
    assertThat(Nodes.mask(second).isNarrowerThan(Nodes.mask(first))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 64, 1000})
  void idsThatNoMaskCanHaveAreRefused(int node) {
    assertThatThrownBy(() -> NumaMask.of(node))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("NUMA node " + node + " in a mask; bit number must be in range 0-63");
    assertThat(new NumaMask(-1).contains(node)).isFalse();
  }

  @Test
  void isASetOfNodes() {
    var mask = NumaMask.of(0, 3, 63);
    assertThat(mask.nodes()).containsExactly(0, 3, 63);
    assertThat(mask).hasToString("{0,3,63}").isEqualTo(NumaMask.of(List.of(63, 3, 0)));
    assertThat(mask.size()).isEqualTo(3);
    assertThat(mask.containsAll(NumaMask.of(0, 63))).isTrue();
    assertThat(mask.containsAll(NumaMask.of(0, 1))).isFalse();
    assertThat(mask.touches(NumaMask.of(1, 3))).isTrue();
    assertThat(mask.touches(NumaMask.of(1, 2))).isFalse();
    assertThat(mask.and(NumaMask.of(1, 3))).isEqualTo(NumaMask.of(3));
    assertThat(mask.or(NumaMask.of(1))).isEqualTo(NumaMask.of(0, 1, 3, 63));
    assertThat(mask.without(NumaMask.of(0, 1))).isEqualTo(NumaMask.of(3, 63));
    assertThat(NumaMask.EMPTY.isEmpty()).isTrue();
  }
}
