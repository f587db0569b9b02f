package dev.patchbay.kubelet.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.patchbay.host.Capture;
import dev.patchbay.host.HostRoot;
import dev.patchbay.kubelet.topology.NumaMachine.Core;
import dev.patchbay.kubelet.topology.NumaMachine.Node;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NumaLayoutTest {
  private static final String TWO_NODES =
      """
      # tree 1; composed; two nodes whose ids have a gap, threads of a core far apart, CPU 5 is off
      file  sys/devices/system/cpu/online
      | 0-4,6
      file  sys/devices/system/node/node0/cpulist
      | 0-1,4
      file  sys/devices/system/node/node0/distance
      | 10 21
      file  sys/devices/system/node/node0/meminfo
      | Node 0 MemTotal:       16384000 kB
      | Node 0 MemFree:        1 kB
      file  sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages
      | 512
      file  sys/devices/system/node/node0/hugepages/hugepages-1048576kB/nr_hugepages
      | 0
      file  sys/devices/system/node/node8/cpulist
      | 2-3,6
      file  sys/devices/system/node/node8/distance
      | 21 10
      file  sys/devices/system/node/node8/meminfo
      | Node 8 MemTotal:       8192 kB
      file  sys/devices/system/node/online
      | 0,8
      """
          + cpu(0, 0, 0)
          + cpu(1, 0, 1)
          + cpu(2, 1, 0)
          + cpu(3, 1, 1)
          + cpu(4, 0, 0)
          + cpu(6, 1, 0);

  private static String cpu(int number, int socket, int core) {
    return """
    file  sys/devices/system/cpu/cpu%d/topology/core_id
    | %d
    file  sys/devices/system/cpu/cpu%d/topology/physical_package_id
    | %d
    """
        .formatted(number, core, number, socket);
  }

  private static NumaMachine read(String archive) throws IOException {
    return NumaLayout.read(HostRoot.ofArchive("machine", archive));
  }

  @Test
  void readsNodesWithTheirMemoryDistancesAndCores() throws IOException {
    assertThat(read(TWO_NODES).nodes())
        .containsExactly(
            new Node(
                0,
                16_384_000L << 10,
                new TreeMap<>(Map.of(2L << 20, 512L, 1L << 30, 0L)),
                List.of(10, 21),
                List.of(new Core(0, 0, List.of(0, 4)), new Core(1, 0, List.of(1)))),
            new Node(
                8,
                8L << 20,
                new TreeMap<>(),
                List.of(21, 10),
                List.of(new Core(0, 1, List.of(2, 6)), new Core(1, 1, List.of(3)))));
  }

  @Test
  void distancesAreInTheOrderOfIdsNotByThem() throws IOException {
    var settings =
        TopologySettings.of("best-effort", "pod").with("prefer-closest-numa-nodes", "true");
    assertThat(TopologyPolicy.of(settings, read(TWO_NODES)).allNodes())
        .isEqualTo(NumaMask.of(0, 8));
  }

  @Test
  void withoutNumaEachSocketIsANode() throws IOException {
    String one =
        """
        # tree 1; composed
        file  proc/meminfo
        | MemTotal:        4096 kB
        file  sys/devices/system/cpu/online
        | 0-1
        """
            + cpu(0, 0, 0);
    assertThat(read(one + cpu(1, 0, 1)).nodes())
        .containsExactly(
            new Node(
                0,
                4L << 20,
                new TreeMap<>(),
                List.of(),
                List.of(new Core(0, 0, List.of(0)), new Core(1, 0, List.of(1)))));
    assertThat(read(one + cpu(1, 1, 0)).nodes())
        .extracting(Node::id, Node::memoryBytes)
        .containsExactly(tuple(0, 0L), tuple(1, 0L));
  }

  /// Four cores on one node, of which the first two share one cache and the others another.
  private static final String TWO_CACHES =
      """
      # tree 1; composed; caches of level 3 that two of four cores share
      file  sys/devices/system/node/node0/cpulist
      | 0-3
      file  sys/devices/system/node/node0/meminfo
      | Node 0 MemTotal:       8192 kB
      """
          + cpu(0, 0, 0)
          + cpu(1, 0, 1)
          + cpu(2, 0, 2)
          + cpu(3, 0, 3)
          + cache(0, 2, 0, "1")
          + cache(1, 2, 1, "2")
          + cache(2, 2, 2, "4")
          + cache(3, 2, 3, "8")
          + cache(0, 3, 7, "00000000,00000003")
          + cache(1, 3, 7, "00000000,00000003")
          + cache(2, 3, 9, "00000000,0000000c")
          + cache(3, 3, 9, "00000000,0000000c");

  private static String cache(int cpu, int level, int id, String sharedBy) {
    String directory = "file  sys/devices/system/cpu/cpu%d/cache/index%d/".formatted(cpu, level);
    return "%1$slevel\n| %2$d\n%1$sid\n| %3$d\n%1$sshared_cpu_map\n| %4$s\n"
        .formatted(directory, level, id, sharedBy);
  }

  private static List<Integer> caches(String archive) throws IOException {
    return read(archive).nodes().stream()
        .flatMap(node -> node.cores().stream())
        .map(Core::cache)
        .toList();
  }

  @Test
  void coresOfANodeMayShareSeveralLastLevelCaches() throws IOException {
    assertThat(caches(TWO_CACHES)).containsExactly(7, 7, 9, 9);
  }

  @Test
  void aCacheOfAllCpusOfTheNodeSaysNoMoreThanTheSocket() throws IOException {
    assertThat(caches(TWO_CACHES.replaceAll("00000000,0000000[3c]", "f")))
        .containsExactly(0, 0, 0, 0);
  }

  @Test
  void noCacheIsKnownFromTheFirstOnThatDoesNotSayItsNumber() throws IOException {
    assertThat(caches(TWO_CACHES.replace("cpu1/cache/index2/id\n| 1", "cpu1/cache/index2/x\n| 1")))
        .containsExactly(7, 0, 0, 0);
  }

  @Test
  void aRootThatSaysNothingHasNoNodes() throws IOException {
    assertThat(read("# tree 1; composed\n").nodes()).isEmpty();
  }

  @ParameterizedTest(name = "{0} = {1}")
  @CsvSource({
    "node/node0/cpulist, some, is 'some'; needed are CPUs such as 0-3",
    "node/node0/distance, 10 far, is 'far'; needed is a number",
    "node/node0/meminfo, nothing, has no line MemTotal",
    "cpu/cpu0/topology/core_id, x, is 'x'; needed is a number"
  })
  void namesTheFileThatIsNotWhatItShouldBe(String file, String text, String why) {
    String archive =
        TWO_NODES
            .replaceFirst("(file +sys/devices/system/" + file + "\n)[|].*\n", "$1| " + text + "\n")
            .replace("| Node 0 MemFree:        1 kB\n", "");
    assertThatThrownBy(() -> read(archive))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("/sys/devices/system/" + file + " " + why);
  }

  @Test
  void aCaptureKeepsTheLayout() throws IOException {
    var machine = HostRoot.of(Path.of("/"));
    String captured = Capture.of(machine, InstantSource.fixed(Instant.EPOCH));
    assertThat(read(captured)).isEqualTo(NumaLayout.read(machine));
  }

  @Test
  void aCaptureKeepsCaches() throws IOException {
    var machine = HostRoot.ofArchive("machine", TWO_CACHES);
    assertThat(caches(Capture.of(machine, InstantSource.fixed(Instant.EPOCH))))
        .containsExactly(7, 7, 9, 9);
  }

  @Test
  void aMachineHasEachIdOnce() {
    var node = new Node(1, 0, new TreeMap<>(), List.of(), List.of());
    assertThatThrownBy(() -> new NumaMachine(List.of(node, node)))
        .hasMessage("two NUMA nodes have the id 1; needed is one of each");
  }
}
