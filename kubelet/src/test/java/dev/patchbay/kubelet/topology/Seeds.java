package dev.patchbay.kubelet.topology;

import java.util.Random;
import java.util.function.Consumer;

/// Runs a check with many random numbers; who fails says with which seed.
final class Seeds {
  private Seeds() {}

  /// `-Dpatchbay.seed=N` runs the case with that seed alone.
  static void each(int cases, Consumer<Random> check) {
    Long one = Long.getLong("patchbay.seed");
    long first = one == null ? new Random().nextInt() & 0xffff_ffffL : one;
    for (long seed = first; seed < first + (one == null ? cases : 1); seed++) {
      try {
        check.accept(new Random(seed));
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("-Dpatchbay.seed=" + seed + ": " + e.getMessage(), e);
      }
    }
  }
}
