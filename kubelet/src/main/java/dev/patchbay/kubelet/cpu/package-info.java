/// Which containers own CPUs, and which ones: the kubelet's CPU manager. Start at [ExclusiveCpus],
/// an immutable state whose methods give the next one; no method here but those of [CpuStateFile]
/// touches the host.
///
/// The rules are those of Kubernetes 1.36 with the policies `none` and `static` and the static
/// policy's options, [CpuOptions]; which CPUs a container gets, [CpuChoice] says. CPUs of init
/// containers are not remembered for later containers of the same pod: what may be used again
/// follows from what the pod's containers hold.
@NullMarked
package dev.patchbay.kubelet.cpu;

import org.jspecify.annotations.NullMarked;
