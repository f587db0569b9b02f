/// Typed readers of `/sys`, `/proc` and `/dev` under one root. Start at [HostRoot].
///
/// The root is the machine itself, a directory where the machine is mounted, or a text archive of a
/// machine ([HostArchive]) in which device nodes and read errors are played. Paths are always those
/// of the host (`/dev/kvm`), whatever the root is. `model` only.
@NullMarked
package dev.patchbay.host;

import org.jspecify.annotations.NullMarked;
