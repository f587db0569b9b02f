package dev.patchbay.bench.kubelet;

import dev.patchbay.kubelet.topology.DeviceHints;
import dev.patchbay.kubelet.topology.HintVariant;
import dev.patchbay.kubelet.topology.NodeCounts;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.TopologyHint;
import java.util.List;
import java.util.Optional;
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

/// Hints for one of so many devices, spread evenly over the nodes.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class HintsBenchmark {
  /// How many NUMA nodes the machine has.
  @Param({"2", "8", "16"})
  public int nodes;

  /// How many devices the resource has.
  @Param({"16", "256", "4096", "10000"})
  public int devices;

  private DeviceHints hints =
      new DeviceHints(NumaMachine.regular(1, 1, 1).mask(), HintVariant.V1_36);
  private List<List<Integer>> each = List.of();
  private NodeCounts counts = NodeCounts.NONE;

  /// Makes the devices.
  @Setup
  public void prepare() {
    hints = new DeviceHints(NumaMachine.regular(nodes, 1, 1).mask(), HintVariant.V1_36);
    each = IntStream.range(0, devices).mapToObj(device -> List.of(device % nodes)).toList();
    counts = NodeCounts.of(each);
  }

  /// As an inventory asks that keeps its counts.
  @Benchmark
  public Optional<List<TopologyHint>> hints() {
    return hints.of(1, counts, NodeCounts.NONE, counts, NodeCounts.NONE);
  }

  /// With all devices counted anew.
  @Benchmark
  public Optional<List<TopologyHint>> countsAndHints() {
    NodeCounts counted = NodeCounts.of(each);
    return hints.of(1, counted, NodeCounts.NONE, counted, NodeCounts.NONE);
  }
}
