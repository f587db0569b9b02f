package dev.patchbay.bench.kubelet;

import java.time.Duration;
import java.util.List;

/// How much is measured.
///
/// @param policies of the topology manager
/// @param devices sizes of a resource
/// @param many the largest of them
/// @param pods how many pods hold devices where many do
/// @param warmUp how long each work is done before it counts, though not more often than
///   [#mostWarmUps], and once at least
/// @param sampling how long it is done then, though not more often than [#mostSamples], and once at
///   least
/// @param ofJmh how long an iteration is
/// @param jmhParameters whether JMH goes through all parameters
record KubeletEffort(
    List<String> policies,
    List<Integer> devices,
    int many,
    int pods,
    Duration warmUp,
    int mostWarmUps,
    Duration sampling,
    int mostSamples,
    Duration ofJmh,
    boolean jmhParameters) {
  /// What figures are made with.
  static final KubeletEffort FULL =
      new KubeletEffort(
          List.of("none", "best-effort", "restricted", "single-numa-node"),
          List.of(16, 256, 4_096, 10_000),
          10_000,
          500,
          Duration.ofSeconds(2),
          1_000,
          Duration.ofMillis(1_500),
          301,
          Duration.ofMillis(300),
          true);

  /// Whether everything works, in a minute or two. The figures say nothing.
  static final KubeletEffort QUICK =
      new KubeletEffort(
          List.of("none", "best-effort"),
          List.of(16),
          200,
          5,
          Duration.ofMillis(100),
          2,
          Duration.ofMillis(500),
          3,
          Duration.ofMillis(50),
          false);
}
