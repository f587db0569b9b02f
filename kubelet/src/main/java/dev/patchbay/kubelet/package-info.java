/// The kubelet's device manager: registration, inventory, allocation, checkpoint. Start at
/// [DeviceManager].
@NullMarked
package dev.patchbay.kubelet;

import org.jspecify.annotations.NullMarked;
