/// What the kubelet's topology manager decides: on which NUMA nodes the resources of a container
/// should lie together. Start at [TopologyPolicy]; [DeviceHints] makes the hints of device plugins'
/// resources. Pure values and functions.
///
/// Facts: the kubelet's `cm/topologymanager` and `cm/devicemanager/topology_hints.go` of 1.34 to
/// 1.36. The answers are the kubelet's, the ways to them are not: see [HintMerger] and
/// [DeviceHints].
@NullMarked
package dev.patchbay.kubelet.topology;

import org.jspecify.annotations.NullMarked;
