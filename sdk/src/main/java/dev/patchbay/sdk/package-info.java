/// What the author of a device plugin needs. Implement [DevicePlugin], give it to a [PluginHost].
///
/// The SDK serves the plugin on a socket, registers it with the kubelet, notices that the kubelet
/// restarted and registers again, for ever. It never exits because a kubelet is missing.
@NullMarked
package dev.patchbay.sdk;

import org.jspecify.annotations.NullMarked;
