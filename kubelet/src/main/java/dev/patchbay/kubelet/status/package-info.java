/// What of the node's devices the API server is told: capacity and allocatable in a node's status
/// ([NodeQuantities]), and the health of a container's devices in a pod's status
/// ([AllocatedResources]). Pure values and functions, but for the one look at a directory in
/// [NodeQuantities#isResetDue].
///
/// Facts: the kubelet's `nodestatus/setters.go` (MachineInfo), `kubelet_node_status.go`
/// (reconcileExtendedResource) and `cm/devicemanager/manager.go` (UpdateAllocatedResourcesStatus),
/// Kubernetes 1.36.
@NullMarked
package dev.patchbay.kubelet.status;

import org.jspecify.annotations.NullMarked;
