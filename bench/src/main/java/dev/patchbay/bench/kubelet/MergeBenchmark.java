package dev.patchbay.bench.kubelet;

import dev.patchbay.kubelet.topology.HintVariant;
import dev.patchbay.kubelet.topology.Merged;
import dev.patchbay.kubelet.topology.NodeCounts;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.NumaSubsets;
import dev.patchbay.kubelet.topology.TopologyHint;
import dev.patchbay.kubelet.topology.TopologyPolicy;
import dev.patchbay.kubelet.topology.TopologySettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/// The merge of hints of several resources with 16 devices each, of which a container wants one.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class MergeBenchmark {
  /// As in the kubelet's configuration.
  @Param({"best-effort", "restricted", "single-numa-node"})
  public String policy = "best-effort";

  /// How many NUMA nodes the machine has.
  @Param("8")
  public int nodes;

  /// How many resources of device plugins the container asks for.
  @Param({"1", "2", "3", "4"})
  public int resources;

  /// Whether static CPU and memory managers give hints as well.
  @Param({"false", "true"})
  public boolean cpuAndMemory;

  /// Whether the first two resources have a node in common, so that a preferred merge exists.
  @Param({"true", "false"})
  public boolean together;

  private TopologyPolicy merging =
      TopologyPolicy.of(TopologySettings.DEFAULTS, NumaMachine.regular(1, 1, 1));
  private List<SortedMap<String, Optional<List<TopologyHint>>>> answers = List.of();

  /// Makes the hints.
  @Setup
  public void prepare() {
    var settings = TopologySettings.of(policy, "container").with(HintVariant.V1_36);
    merging = TopologyPolicy.of(settings, NumaMachine.regular(nodes, 4, 1L << 30));
    SortedMap<String, Optional<List<TopologyHint>>> devices = new TreeMap<>();
    for (int resource = 0; resource < resources; resource++)
      devices.put("vendor.example/" + resource, deviceHints(resource));
    answers = new ArrayList<>(List.of(devices));
    if (cpuAndMemory)
      for (String name : List.of("cpu", "memory")) {
        SortedMap<String, Optional<List<TopologyHint>>> answer = new TreeMap<>();
        answer.put(name, Optional.of(anyNode()));
        answers.add(answer);
      }
  }

  /// Of a resource that others use already one node is left, when they are not to be together.
  private Optional<List<TopologyHint>> deviceHints(int resource) {
    var all = NodeCounts.of(IntStream.range(0, 16).mapToObj(i -> List.of(i % nodes)).toList());
    var left = NodeCounts.of(List.of(List.of(resource % nodes)));
    return merging
        .deviceHints()
        .of(1, all, NodeCounts.NONE, together ? all : left, NodeCounts.NONE);
  }

  private List<TopologyHint> anyNode() {
    return NumaSubsets.of(merging.allNodes()).stream()
        .map(mask -> mask.size() == 1 ? TopologyHint.preferred(mask) : TopologyHint.possible(mask))
        .toList();
  }

  /// All lists into one answer.
  @Benchmark
  public Merged merge() {
    return merging.merge(answers);
  }
}
