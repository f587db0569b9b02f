/// On which NUMA nodes the memory and huge pages of Guaranteed pods lie: the kubelet's memory
/// manager. Start at [PinnedMemory], an immutable state whose methods give the next one; no method
/// here but those of [MemoryStateFile] touches the host.
///
/// The rules are those of Kubernetes 1.36 with the policies `None` and `Static`. Memory of init
/// containers is not remembered for later containers of the same pod: what may be used again
/// follows from what the pod's init containers still hold.
@NullMarked
package dev.patchbay.kubelet.memory;

import org.jspecify.annotations.NullMarked;
