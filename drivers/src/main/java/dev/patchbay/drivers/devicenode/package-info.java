/// Any device nodes, by path or by USB numbers, as the configuration says: serial lines, cameras,
/// sound cards, security keys. Start at [DeviceNodeDriver].
///
/// | file | meaning | source |
/// |---|---|---|
/// | `/dev/**` | device nodes, matched by pattern | - |
/// | `/sys/dev/char/M:m` → `numa_node` | NUMA node of a device | `Documentation/ABI/testing/sysfs-bus-pci` |
/// | `/sys/bus/usb/devices/*/{idVendor,idProduct,serial,busnum,devnum}` | USB devices; hexadecimal, hexadecimal, text, decimal, decimal | `Documentation/ABI/stable/sysfs-bus-usb` |
///
/// The configuration can say all that generic-device-plugin's can. Differences: a symbolic link is
/// resolved for the host path and kept as the path in the container, since runtimes do not resolve
/// it; USB selectors of a group make one device for each full set of sticks, not one of all that
/// match; ids are readable and stable over restarts and replugs unless `id-scheme: compat` asks for
/// generic-device-plugin's hashes. A USB device is named by its serial number, without one by its
/// port, and where two of a kind have the same serial number by both. What the configuration shares
/// neither by `count` nor by `limit` and still offers twice is a problem of the scan.
@NullMarked
package dev.patchbay.drivers.devicenode;

import org.jspecify.annotations.NullMarked;
