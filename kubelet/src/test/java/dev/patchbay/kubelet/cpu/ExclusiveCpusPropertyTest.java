package dev.patchbay.kubelet.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.cpu.CpuLayout.Level;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.NumaMask;
import dev.patchbay.kubelet.topology.TopologyHint;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Random machines, pods and affinities. The seed of a failure is in its message; it is played
/// again with `-Dpatchbay.seed=`.
class ExclusiveCpusPropertyTest {
  private static final long SEED = Long.getLong("patchbay.seed", 20_261_123);
  private static final int RUNS = 300;

  @Test
  void neverGivesACpuTwiceAndGetsAllBack() {
    for (int run = 0; run < RUNS; run++) {
      long seed = SEED + run;
      var random = new Random(seed);
      NumaMachine machine = machine(random);
      ExclusiveCpus unused = ExclusiveCpus.start(CpuSettings.reserving(1), machine);
      ExclusiveCpus cpus = unused;
      List<PodSpec> pods = new ArrayList<>();
      for (int step = 0; step < 12; step++) {
        if (!pods.isEmpty() && random.nextInt(3) == 0) {
          cpus = cpus.release(pods.remove(random.nextInt(pods.size())).uid());
        } else {
          PodSpec pod = pod(random, "pod" + step);
          pods.add(pod);
          cpus = admitted(cpus, pod, random, machine);
        }
        check(cpus, unused, pods, "seed " + seed + ", step " + step);
      }
      for (PodSpec pod : pods) cpus = cpus.release(pod.uid());
      assertThat(cpus.state()).as("seed %d", seed).isEqualTo(unused.state());
    }
  }

  /// The pod with all its containers, or none of them.
  private static ExclusiveCpus admitted(
      ExclusiveCpus cpus, PodSpec pod, Random random, NumaMachine machine) {
    ExclusiveCpus next = cpus;
    for (ContainerSpec container : pod.allContainers()) {
      long nodes = random.nextLong() & machine.mask().bits();
      var affinity =
          new TopologyHint(
              nodes == 0 ? Optional.empty() : Optional.of(new NumaMask(nodes)),
              random.nextBoolean());
      switch (next.reserve(pod, container, affinity)) {
        case CpuDecision.Granted granted -> next = granted.next();
        case CpuDecision.Refused _ -> {
          return next.release(pod.uid());
        }
      }
    }
    return next;
  }

  private static void check(
      ExclusiveCpus cpus, ExclusiveCpus unused, List<PodSpec> pods, String where) {
    CpuSet owned = CpuSet.EMPTY;
    for (PodSpec pod : pods) {
      CpuSet ofInit = CpuSet.EMPTY;
      CpuSet ofOthers = CpuSet.EMPTY;
      for (ContainerSpec container : pod.allContainers()) {
        CpuSet own = cpus.of(pod.uid(), container.name());
        if (own.isEmpty()) continue;
        assertThat(own.size()).as(where).isEqualTo(CpuDemand.of(pod, container));
        if (pod.isRegularInit(container)) {
          ofInit = ofInit.union(own);
          continue;
        }
        assertThat(own.intersection(ofOthers)).as(where).isEqualTo(CpuSet.EMPTY);
        ofOthers = ofOthers.union(own);
      }
      CpuSet ofPod = ofInit.union(ofOthers);
      assertThat(ofPod.intersection(owned)).as(where).isEqualTo(CpuSet.EMPTY);
      owned = owned.union(ofPod);
    }
    assertThat(unused.allocatable().containsAll(owned)).as(where).isTrue();
    assertThat(cpus.state().shared()).as(where).isEqualTo(unused.state().shared().minus(owned));
  }

  @Test
  void hintsAreThoseOfTryingEverySetOfNodes() {
    for (int run = 0; run < RUNS; run++) {
      long seed = SEED + run;
      var random = new Random(seed);
      CpuLayout layout = CpuLayout.of(machine(random));
      CpuSet available = some(random, layout.all());
      CpuSet reusable = some(random, layout.all().minus(available));
      if (random.nextBoolean()) reusable = CpuSet.EMPTY;
      int request = 1 + random.nextInt(layout.all().size());

      assertThat(CpuHints.of(layout, CpuOptions.NONE, available, reusable, request))
          .as("seed %d", seed)
          .isEqualTo(naive(layout, available, reusable, request));
    }
  }

  private static CpuSet some(Random random, CpuSet of) {
    int outOf = 1 + random.nextInt(8);
    return CpuSet.of(of.stream().filter(_ -> random.nextInt(outOf) != 0).boxed().toList());
  }

  /// By trying every set of nodes with every CPU.
  private static List<TopologyHint> naive(
      CpuLayout layout, CpuSet available, CpuSet reusable, int request) {
    List<Integer> nodes = List.copyOf(layout.parts(Level.NODE).keySet());
    int narrowest = nodes.size();
    List<NumaMask> fitting = new ArrayList<>();
    for (NumaMask mask : bySizeThenNodes(nodes)) {
      if (on(layout, mask, layout.all()) >= request) narrowest = Math.min(narrowest, mask.size());
      if (on(layout, mask, reusable) == reusable.size()
          && on(layout, mask, available) + reusable.size() >= request) fitting.add(mask);
    }
    int smallest = narrowest;
    return fitting.stream()
        .map(mask -> new TopologyHint(Optional.of(mask), mask.size() == smallest))
        .toList();
  }

  private static int on(CpuLayout layout, NumaMask mask, CpuSet cpus) {
    return (int) cpus.stream().filter(cpu -> mask.contains(layout.cpu(cpu).node())).count();
  }

  private static List<NumaMask> bySizeThenNodes(List<Integer> nodes) {
    return IntStream.range(1, 1 << nodes.size())
        .mapToObj(bits ->
            NumaMask.of(
                IntStream.range(0, nodes.size())
                    .filter(i -> (bits & 1 << i) != 0)
                    .mapToObj(nodes::get)
                    .toList()))
        .sorted((one, other) ->
            one.size() != other.size()
                ? Integer.compare(one.size(), other.size())
                : compare(List.copyOf(one.nodes()), List.copyOf(other.nodes())))
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
      if (name.equals("app0") || random.nextInt(3) == 0)
        containers.add(Guaranteed.container(name, 500L * (1 + random.nextInt(8))));
    return Guaranteed.pod(uid, containers.toArray(ContainerSpec[]::new));
  }

  /// One to eight nodes with gaps between their ids, cores of one or two threads, spread unevenly.
  private static NumaMachine machine(Random random) {
    int count = 1 + random.nextInt(random.nextInt(4) == 0 ? 8 : 4);
    int threads = 1 + random.nextInt(2);
    int socketOf = 1 + random.nextInt(2);
    List<NumaMachine.Node> nodes = new ArrayList<>();
    int cpu = 0;
    int id = 0;
    for (int node = 0; node < count; node++) {
      List<NumaMachine.Core> cores = new ArrayList<>();
      int of = random.nextInt(6) + (node == 0 ? 2 : 0);
      for (int core = 0; core < of; core++) {
        List<Integer> own = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) own.add(cpu++);
        cores.add(new NumaMachine.Core(core, node / socketOf, own));
      }
      nodes.add(new NumaMachine.Node(id, 1 << 30, new TreeMap<>(), List.of(), cores));
      id += 1 + random.nextInt(2);
    }
    return new NumaMachine(nodes);
  }
}
