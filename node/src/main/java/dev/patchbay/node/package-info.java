/// The embedded kubelet as a whole: pods from a [PodSource], which is a directory of manifests
/// unless it is said otherwise, their admission by the device manager, their containers by an OCI
/// runtime, and what all of them are doing in one file. Start at [Node]; who only looks reads
/// [NodeState].
///
/// | path below the kubelet's directory | what |
/// |---|---|
/// | `device-plugins/` | the device manager's: `kubelet.sock`, plugins' sockets, checkpoint |
/// | `pod-resources/kubelet.sock` | where monitors ask which container has what |
/// | `manifests/` | pods, unless another directory is named |
/// | `pods/<uid>/<container>/` | bundle and log of a container |
/// | `runtime/` | the OCI runtime's own state |
/// | `state.json` | [NodeState], replaced on each change |
/// | `lock` | held by the process that runs the node |
///
/// Threads, all virtual: one follows the source of the pods, one the node's resources, one writes
/// the state, one per pod and one per container that runs or waits to run. Each has a name that
/// says so. Only [Changes] and the map of pods in [Node] have a lock; none is held over I/O or a
/// call to a plugin.
///
/// Containers outlive the process. A node that starts finds those that run, admits their pods first
/// (which the device manager takes without asking a plugin), and only then calls its sources ready.
@NullMarked
package dev.patchbay.node;

import org.jspecify.annotations.NullMarked;
