/// The embedded kubelet as a node of a cluster: it registers a Node, says what it has, runs the
/// pods that are bound to it and tells what becomes of them. Start at [ClusterNode].
///
/// | type | is |
/// |---|---|
/// | [ClusterNode] | all of it, tied together |
/// | [ClusterConfig] | its settings |
/// | `BoundPods` | the pods of the API server as a source of pods; a watch of this node's pods alone |
/// | `PodReading` | a pod of the API server as the node's own `PodSpec`, or why it cannot run here |
/// | `PodStatusText` | the status of a pod, of what its node shows of it |
/// | `PodStatuses` | writes it, and deletes pods that have ended as they were asked to |
/// | `NodeRegistration` | makes the Node object and keeps its status |
/// | `NodeStatusText` | that status, of what the machine and the device manager say |
/// | `NodeLease` | says that the node is alive |
/// | `Events` | what a pod's owner sees by `kubectl describe` |
///
/// Threads, all virtual, one each for the statuses of pods, the node's status, the lease and the
/// events, besides those of the library's watch. Each asks the API server by calls that block, and
/// after a failure tries again with what is true then: the API server may go away and come back at
/// any time, and no pod notices. No lock is held over a call.
///
/// The only package that uses fabric8's Kubernetes client. Facts: Kubernetes 1.36,
/// `pkg/kubelet/kubelet_node_status.go`, `nodestatus`, `status`, `kubelet_pods.go`,
/// `component-helpers/apimachinery/lease`.
@NullMarked
package dev.patchbay.cluster;

import org.jspecify.annotations.NullMarked;
