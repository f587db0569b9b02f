/// The kubelet's device manager: plugins register, pods are admitted, containers get devices.
///
/// Start at [Kubelet], which is what the node calls, then read `DeviceLedger` and `KnownPods`, the
/// only things here that change. The rest is one step of a pod's way each:
///
/// | type | is |
/// |---|---|
/// | `KnownPods` | the pods of the node, and how it was decided about them |
/// | [DeviceManager] | plugins, and devices of pods |
/// | `DeviceLedger` | inventory, allocations and connections, under one lock |
/// | `DevicePlaces` | hints: where devices could lie |
/// | `NodeFit` | whether the node has room for a pod beside the others |
/// | `Demand` | what one container asks for of one resource |
/// | `ContainerAllocation` | reserve, ask the plugin, commit or cancel |
/// | `ContainerStart` | PreStartContainer, and the merged answers |
/// | `DeviceCheckpoint` | what of the ledger outlives the kubelet |
///
/// Where more of the kubelet belongs: a second way to register tells the same
/// [dev.patchbay.kubelet.registration.PluginConnector.Plugins]; a service that shows who holds what
/// reads a [DeviceState]; a manager of another kind of resource has its own package and its own
/// ledger, and meets this one in the admission of a pod.
@NullMarked
package dev.patchbay.kubelet;

import org.jspecify.annotations.NullMarked;
