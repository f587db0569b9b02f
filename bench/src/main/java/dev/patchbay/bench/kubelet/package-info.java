/// What the kubelet side costs: its topology manager alone, measured by JMH, and the whole beside
/// the kubelet's own code, both driven by the same control protocol. Start at [KubeletBench].
@NullMarked
package dev.patchbay.bench.kubelet;

import org.jspecify.annotations.NullMarked;
