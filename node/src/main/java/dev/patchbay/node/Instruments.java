package dev.patchbay.node;

import dev.patchbay.kubelet.KubeletSettings;
import dev.patchbay.kubelet.metrics.KubeletMetrics;
import java.util.Optional;
import java.util.function.Supplier;

/// What there is to be read of a node besides the state of its pods.
///
/// @param settings of its kubelet side
/// @param metrics what was counted
/// @param problem what keeps plugins from registering, in upstream's words; empty when all is well
public record Instruments(
    KubeletSettings settings, KubeletMetrics metrics, Supplier<Optional<String>> problem) {}
