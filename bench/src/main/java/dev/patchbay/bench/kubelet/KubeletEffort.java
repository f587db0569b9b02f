package dev.patchbay.bench.kubelet;

import java.time.Duration;
import java.util.List;

/// How much is measured.
///
/// @param policies of the topology manager
/// @param devices sizes of a resource
/// @param many the largest of them
/// @param pods how many pods hold devices where many do
/// @param warmUp at most so many times before it counts
/// @param samples at most so many times
/// @param patience after that time no more samples are taken
/// @param ofJmh how long an iteration is
/// @param jmhParameters whether JMH goes through all parameters
record KubeletEffort(
    List<String> policies,
    List<Integer> devices,
    int many,
    int pods,
    int warmUp,
    int samples,
    Duration patience,
    Duration ofJmh,
    boolean jmhParameters) {
  /// What figures are made with.
  static final KubeletEffort FULL =
      new KubeletEffort(
          List.of("none", "best-effort", "restricted", "single-numa-node"),
          List.of(16, 256, 4_096, 10_000),
          10_000,
          500,
          1_000,
          101,
          Duration.ofSeconds(20),
          Duration.ofSeconds(1),
          true);

  /// Whether everything works, in a minute or two. The figures say nothing.
  static final KubeletEffort QUICK =
      new KubeletEffort(
          List.of("none", "best-effort"),
          List.of(16),
          200,
          5,
          2,
          3,
          Duration.ofSeconds(2),
          Duration.ofMillis(50),
          false);
}
