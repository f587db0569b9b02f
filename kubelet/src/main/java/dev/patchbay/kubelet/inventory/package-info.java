/// What the node has: each resource's devices, who serves it, and since when nobody does. Start at
/// [Inventory]. Pure values.
///
/// Facts: the kubelet's `cm/devicemanager/manager.go`, in the form of several endpoints per
/// resource that follows 1.36.
@NullMarked
package dev.patchbay.kubelet.inventory;

import org.jspecify.annotations.NullMarked;
