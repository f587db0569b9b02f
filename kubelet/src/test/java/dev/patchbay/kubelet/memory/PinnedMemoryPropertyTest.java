package dev.patchbay.kubelet.memory;

import static dev.patchbay.kubelet.cpu.Guaranteed.MI;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.cpu.Guaranteed;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.NumaMask;
import dev.patchbay.kubelet.topology.TopologyHint;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Random machines, pods and affinities. The seed of a failure is in its message; it is played
/// again with `-Dpatchbay.seed=`.
class PinnedMemoryPropertyTest {
  private static final long SEED = Long.getLong("patchbay.seed", 20_261_124);
  private static final int RUNS = 200;

  @TempDir Path directory;

  @Test
  void blocksAddUpGroupsNeverCrossAndAllComesBack() throws IOException {
    var file = new MemoryStateFile(directory);
    for (int run = 0; run < RUNS; run++) {
      long seed = SEED + run;
      var random = new Random(seed);
      NumaMachine machine = machine(random);
      PinnedMemory unused =
          PinnedMemory.start(MemorySettings.reservingOn(machine.nodes().getFirst().id()), machine);
      PinnedMemory memory = unused;
      List<PodSpec> pods = new ArrayList<>();
      for (int step = 0; step < 12; step++) {
        if (!pods.isEmpty() && random.nextInt(3) == 0) {
          memory = memory.release(pods.remove(random.nextInt(pods.size())).uid());
        } else {
          PodSpec pod = pod(random, "pod" + step);
          pods.add(pod);
          memory = admitted(memory, pod, random, machine);
        }
        check(memory.state(), unused.state(), "seed " + seed + ", step " + step);
      }
      if (run % 20 == 0) {
        file.write(memory.state());
        assertThat(file.resume(unused).state()).as("seed %d", seed).isEqualTo(memory.state());
      }
      for (PodSpec pod : pods) memory = memory.release(pod.uid());
      assertThat(memory.state()).as("seed %d", seed).isEqualTo(unused.state());
    }
  }

  private static PinnedMemory admitted(
      PinnedMemory memory, PodSpec pod, Random random, NumaMachine machine) {
    PinnedMemory next = memory;
    for (ContainerSpec container : pod.allContainers()) {
      long nodes = random.nextLong() & machine.mask().bits();
      var affinity =
          new TopologyHint(
              nodes == 0 || random.nextBoolean()
                  ? Optional.empty()
                  : Optional.of(new NumaMask(nodes)),
              random.nextInt(4) == 0);
      switch (next.reserve(pod, container, affinity)) {
        case MemoryDecision.Granted granted -> next = granted.next();
        case MemoryDecision.Refused _ -> {
          return next.release(pod.uid());
        }
      }
    }
    return next;
  }

  private static void check(MemoryState state, MemoryState unused, String where) {
    List<MemoryBlock> blocks =
        state.held().values().stream()
            .flatMap(containers -> containers.values().stream())
            .flatMap(List::stream)
            .toList();
    state
        .machine()
        .forEach((id, node) -> {
          long here = blocks.stream().filter(each -> each.nodes().contains(id)).count();
          assertThat(node.assignments()).as(where).isEqualTo((int) here);
          node.tables()
              .forEach((type, table) -> {
                assertThat(table.free()).as(where).isNotNegative();
                assertThat(table.reserved()).as(where).isNotNegative();
                assertThat(table.free() + table.reserved())
                    .as(where)
                    .isEqualTo(table.allocatable());
              });
        });
    for (String type : List.of("memory", "hugepages-2Mi"))
      assertThat(sum(state, type)).as(where + ", " + type).isEqualTo(sum(blocks, type));
    assertThat(state.machine().keySet()).as(where).isEqualTo(unused.machine().keySet());
  }

  private static long sum(MemoryState state, String type) {
    return state.machine().values().stream().mapToLong(node -> node.table(type).reserved()).sum();
  }

  private static long sum(List<MemoryBlock> blocks, String type) {
    return blocks.stream()
        .filter(block -> block.type().equals(type))
        .mapToLong(MemoryBlock::sizeBytes)
        .sum();
  }

  @Test
  void hintsAreThoseOfTryingEveryGroup() {
    for (int run = 0; run < RUNS; run++) {
      long seed = SEED + run;
      var random = new Random(seed);
      NumaMachine machine = machine(random);
      PinnedMemory memory =
          PinnedMemory.start(MemorySettings.reservingOn(machine.nodes().getFirst().id()), machine);
      for (int pod = 0; pod < 5; pod++)
        memory = admitted(memory, pod(random, "pod" + pod), random, machine);
      PodSpec asked = pod(random, "asked");
      ContainerSpec container = asked.allContainers().getFirst();

      List<TopologyHint> expected = naive(memory.state().machine(), container);

      assertThat(memory.hints(asked, container).values())
          .as("seed %d", seed)
          .allSatisfy(hints -> assertThat(hints).contains(expected));
      assertThat(memory.hints(asked, container).isEmpty())
          .as("seed %d", seed)
          .isEqualTo(expected.isEmpty());
    }
  }

  /// By trying every group for a pod that has nothing yet.
  private static List<TopologyHint> naive(
      SortedMap<Integer, NodeMemory> machine, ContainerSpec container) {
    Map<String, Long> demand = MemoryDemand.of(container);
    int narrowest = machine.size();
    List<NumaMask> fitting = new ArrayList<>();
    for (List<Integer> group : groups(List.copyOf(machine.keySet()))) {
      List<NodeMemory> nodes = group.stream().map(machine::get).toList();
      if (!demand.entrySet().stream()
          .allMatch(each ->
              nodes.stream().mapToLong(node -> node.table(each.getKey()).allocatable()).sum()
                  >= each.getValue())) continue;
      narrowest = Math.min(narrowest, group.size());
      NumaMask mask = NumaMask.of(group);
      boolean allowed =
          nodes.stream()
              .allMatch(node ->
                  group.size() == 1
                      ? node.group().size() == 1
                      : node.assignments() == 0 || node.group().equals(mask));
      boolean enough =
          demand.entrySet().stream()
              .allMatch(each ->
                  nodes.stream().mapToLong(node -> node.table(each.getKey()).free()).sum()
                      >= each.getValue());
      if (allowed && enough) fitting.add(mask);
    }
    int smallest = narrowest;
    return fitting.stream()
        .map(mask -> new TopologyHint(Optional.of(mask), mask.size() == smallest))
        .toList();
  }

  private static List<List<Integer>> groups(List<Integer> ids) {
    Comparator<List<Integer>> bySize = Comparator.comparingInt(List::size);
    return IntStream.range(1, 1 << ids.size())
        .mapToObj(bits ->
            IntStream.range(0, ids.size())
                .filter(i -> (bits & 1 << i) != 0)
                .mapToObj(ids::get)
                .toList())
        .sorted(bySize.thenComparing(PinnedMemoryPropertyTest::compare))
        .toList();
  }

  private static int compare(List<Integer> one, List<Integer> other) {
    for (int i = 0; i < one.size(); i++)
      if (!one.get(i).equals(other.get(i))) return one.get(i).compareTo(other.get(i));
    return 0;
  }

  private static PodSpec pod(Random random, String uid) {
    List<ContainerSpec> containers = new ArrayList<>();
    for (String name : List.of("init0", "side0", "init1", "app0", "app1"))
      if (name.equals("app0") || random.nextInt(3) == 0) {
        var asked = new TreeMap<String, Long>();
        asked.put("cpu", 1000L);
        asked.put("memory", (1 + random.nextInt(10)) * 64L * MI);
        if (random.nextInt(3) == 0) asked.put("hugepages-2Mi", (1 + random.nextInt(8)) * 2L * MI);
        containers.add(Guaranteed.container(name, asked));
      }
    return Guaranteed.pod(uid, containers.toArray(ContainerSpec[]::new));
  }

  private static NumaMachine machine(Random random) {
    int count = 1 + random.nextInt(random.nextInt(4) == 0 ? 8 : 4);
    List<NumaMachine.Node> nodes = new ArrayList<>();
    int id = 0;
    for (int node = 0; node < count; node++) {
      var huge = new TreeMap<Long, Long>();
      if (random.nextBoolean()) huge.put(2 * MI, (long) random.nextInt(20));
      nodes.add(
          new NumaMachine.Node(
              id, (256 + random.nextInt(8) * 128) * MI, huge, List.of(), List.of()));
      id += 1 + random.nextInt(2);
    }
    return new NumaMachine(nodes);
  }
}
