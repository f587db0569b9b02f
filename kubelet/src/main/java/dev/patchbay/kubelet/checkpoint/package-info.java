/// The file `kubelet_internal_checkpoint` in the kubelet's own format, version 2 (Kubernetes 1.20
/// and later), with its checksum. Start at [Checkpoint].
@NullMarked
package dev.patchbay.kubelet.checkpoint;

import org.jspecify.annotations.NullMarked;
