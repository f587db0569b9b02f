/// The device nodes that virtual machines need, shared by many pods, under the resource names of
/// KubeVirt. Start at [KubevirtDriver].
///
/// | file | meaning | source |
/// |---|---|---|
/// | `/dev/kvm` | hardware virtualisation, 10:232 | kernel `Documentation/admin-guide/devices.txt` |
/// | `/dev/net/tun` | network interfaces made by programs, 10:200 | same |
/// | `/dev/vhost-net`, `/dev/vhost-vsock` | virtio in the kernel, 10:238 and 10:241 | same |
/// | `/dev/fuse` | file systems made by programs, 10:229 | same |
///
/// Ids are `<name>0` to `<name>999`, as KubeVirt's. A node that is missing at the start is not
/// offered; KubeVirt offers it as a thousand unhealthy devices.
@NullMarked
package dev.patchbay.drivers.kubevirt;

import org.jspecify.annotations.NullMarked;
