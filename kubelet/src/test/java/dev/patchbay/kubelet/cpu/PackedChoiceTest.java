package dev.patchbay.kubelet.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.cpu.CpuLayout.Cpu;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PackedChoiceTest {
  /// Two sockets, each a NUMA node with two cores of two threads: threads of a core are 4 apart.
  private static final CpuLayout TWO_SOCKETS =
      new CpuLayout(
          IntStream.range(0, 8).mapToObj(i -> cpu(i, i % 4, i % 4 / 2, i % 4 / 2)).toList());

  /// One socket of two NUMA nodes, each with two cores of two threads.
  private static final CpuLayout TWO_NODES_OF_A_SOCKET =
      new CpuLayout(IntStream.range(0, 8).mapToObj(i -> cpu(i, i % 4, 0, i % 4 / 2)).toList());

  /// A socket of five CPUs and one of three.
  private static final CpuLayout UNEVEN =
      new CpuLayout(
          IntStream.range(0, 8).mapToObj(i -> cpu(i, i, i < 5 ? 0 : 1, i < 5 ? 0 : 1)).toList());

  private static Cpu cpu(int number, int core, int socket, int node) {
    return new Cpu(number, core, socket, socket, node);
  }

  @ParameterizedTest(name = "{3}")
  @CsvSource(
      delimiter = '|',
      value = {
        "0-7       | 1 | 0       | the first CPU of an unused machine",
        "0-7       | 2 | 0,4     | a whole core",
        "0-7       | 3 | 0,1,4   | a whole core and a CPU of the next core of its node",
        "0-7       | 4 | 0,1,4,5 | a whole socket",
        "1-7       | 1 | 4       | what is left of a broken core before a whole one",
        "1-7       | 4 | 2,3,6,7 | the socket that is wholly free",
        "1-7       | 2 | 1,5     | a whole core on the socket with fewer free CPUs",
        "0,1,2,3   | 2 | 0,1     | CPUs of one node when no core is whole",
        "0,2,3,6,7 | 1 | 0       | a CPU of the node with the fewest",
        "0-7       | 8 | 0-7     | everything"
      })
  void fillsTheFullestPartsFirst(String free, int needed, String expected, String why) {
    assertThat(PackedChoice.of(TWO_SOCKETS, CpuSet.parse(free), needed))
        .isEqualTo(CpuSet.parse(expected));
  }

  @ParameterizedTest(name = "{3}")
  @CsvSource(
      delimiter = '|',
      value = {
        "0-7   | 4 | 0,1,4,5 | a whole node",
        "1-7   | 4 | 2,3,6,7 | the node that is wholly free",
        "1-7   | 6 | 1,2,3,5,6,7 | a free node, then the whole core of the other"
      })
  void takesNodesAfterSocketsThatHoldSeveral(String free, int needed, String expected, String why) {
    assertThat(PackedChoice.of(TWO_NODES_OF_A_SOCKET, CpuSet.parse(free), needed))
        .isEqualTo(CpuSet.parse(expected));
  }

  @ParameterizedTest(name = "{3}")
  @CsvSource(
      delimiter = '|',
      value = {
        "0-7 | 3 | 5-7   | a node is whole by its own size",
        "1-7 | 5 | 1-2,5-7 | four free of five CPUs are no free socket though sockets have four on average"
      })
  void takesNothingThatIsInUseOnUnevenMachines(
      String free, int needed, String expected, String why) {
    assertThat(PackedChoice.of(UNEVEN, CpuSet.parse(free), needed))
        .isEqualTo(CpuSet.parse(expected));
  }

  @Test
  void keepsAPartThatReachesIntoSeveralInItsFirstPlace() {
    var socketOverTwoNodes =
        new CpuLayout(List.of(cpu(0, 0, 0, 0), cpu(1, 1, 0, 1), cpu(2, 2, 1, 1), cpu(3, 3, 1, 1)));

    assertThat(PackedChoice.of(socketOverTwoNodes, socketOverTwoNodes.all(), 2))
        .isEqualTo(CpuSet.parse("0-1"));
  }
}
