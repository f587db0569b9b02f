/// Tells monitors which container holds which device, CPU and memory: the service PodResources, in
/// both of its versions, on `pod-resources/kubelet.sock`. Start at [PodResourcesServer].
///
/// It knows the kubelet side only as [NodeHoldings]: immutable pictures, from which an answer is
/// put together on the thread of its call, with no lock held. Wire types stay in [PodResourcesV1],
/// [PodResourcesV1Alpha1] and [Answers].
@NullMarked
package dev.patchbay.kubelet.podresources;

import org.jspecify.annotations.NullMarked;
