package dev.patchbay.bench.kubelet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// How long one kubelet takes for one work, in microseconds.
///
/// @param first the first time in a fresh process
/// @param median after the warm-up
record KubeletTimes(long first, long median) {
  /// Does the work as often as the effort wants.
  static KubeletTimes of(KubeletWork work, KubeletStage stage, KubeletEffort effort)
      throws IOException {
    int number = 0;
    long warm = System.nanoTime() + effort.warmUp().toNanos();
    long first = work.sample(stage, number++);
    while (number < effort.mostWarmUps() && System.nanoTime() < warm) work.sample(stage, number++);
    long end = System.nanoTime() + effort.sampling().toNanos();
    List<Long> micros = new ArrayList<>();
    do micros.add(work.sample(stage, number++));
    while (micros.size() < effort.mostSamples() && System.nanoTime() < end);
    micros.sort(null);
    return new KubeletTimes(first, micros.get(micros.size() / 2));
  }
}
