package dev.patchbay.kubelet.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.cpu.CpuLayout.Cpu;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// On two sockets, each a NUMA node of four cores with two threads, whose numbers are 8 apart. Two
/// cores each share a cache: 0 and 1, 2 and 3; then 4 and 5, 6 and 7.
class CpuChoiceTest {
  private static final CpuLayout LAYOUT =
      new CpuLayout(
          IntStream.range(0, 16)
              .mapToObj(i -> new Cpu(i, i % 8, i % 8 / 2, i % 8 / 4, i % 8 / 4))
              .toList());

  private static CpuSet choose(CpuSet free, int needed, CpuOption... options) {
    return new CpuChoice(LAYOUT, CpuOptions.of(options)).of(free, needed);
  }

  @ParameterizedTest(name = "{3}")
  @CsvSource(
      delimiter = '|',
      value = {
        "0-15        | 4  | 0-1,8-9          | a whole cache",
        "0-15        | 8  | 0-3,8-11         | a whole socket before caches",
        "1-15        | 4  | 2-3,10-11        | the cache that is wholly free",
        "1-15        | 6  | 2-4,10-12        | a whole cache, and a core of a cache that is free",
        "0-15        | 3  | 0-1,8            | an odd number leaves the last CPU of a cache",
        "1-7,9-15    | 2  | 1,9              | what is left of a cache that is in use",
        "0-1,8,12,14 | 2  | 0,8              | cores, where no cache has just what is needed"
      })
  void preferringOneCacheTakesWholeCachesAndFillsOthers(
      String free, int needed, String expected, String why) {
    assertThat(choose(CpuSet.parse(free), needed, CpuOption.ONE_CACHE))
        .isEqualTo(CpuSet.parse(expected));
  }

  @ParameterizedTest(name = "{3}")
  @CsvSource(
      delimiter = '|',
      value = {
        "0-15      | 3 | 0-2      | a thread of each of three cores",
        "0-15      | 5 | 0-3,8    | other threads when all cores of the socket have one",
        "1-15      | 3 | 1-3      | CPUs of the socket with fewer free ones",
        "0-15      | 8 | 0-3,8-11 | a whole socket all the same"
      })
  void onManyCoresCpusAreTakenByTheirNumber(String free, int needed, String expected, String why) {
    assertThat(choose(CpuSet.parse(free), needed, CpuOption.MANY_CORES))
        .isEqualTo(CpuSet.parse(expected));
  }

  @ParameterizedTest(name = "{3}")
  @CsvSource(
      delimiter = '|',
      value = {
        "0-15            | 4  | 0-1,8-9              | few CPUs come from one node",
        "0-15            | 10 | 0-2,4-6,8-9,12-13    | many come from both in equal parts",
        "0-2,4-7,12-15   | 6  | 4-6,12-14            | one node that has enough is enough",
        "0-2,8,4-5,12-13 | 6  | 0-1,4-5,8,12         | both give three"
      })
  void evenNodesGiveEqualParts(String free, int needed, String expected, String why) {
    assertThat(choose(CpuSet.parse(free), needed, CpuOption.EVEN_NODES))
        .isEqualTo(CpuSet.parse(expected));
  }

  @Test
  void evenNodesGiveWholeCoresWhereCoresAreWhole() {
    assertThat(choose(LAYOUT.all(), 10, CpuOption.EVEN_NODES, CpuOption.WHOLE_CORES))
        .isEqualTo(CpuSet.parse("0-2,4-5,8-10,12-13"));
  }

  @Test
  void whatIsNoNumberOfWholeCoresIsNotDivided() {
    assertThat(choose(LAYOUT.all(), 9, CpuOption.EVEN_NODES, CpuOption.WHOLE_CORES))
        .isEqualTo(CpuSet.parse("0-4,8-11"));
  }
}
