/// Who holds which device, and who gets which. Decisions are pure functions of the inventory, the
/// allocations and the request; start at [Allocator].
///
/// Facts: the kubelet's `cm/devicemanager/manager.go`, with its error texts, without its defects:
/// devices of a refused request stay free.
@NullMarked
package dev.patchbay.kubelet.allocation;

import org.jspecify.annotations.NullMarked;
