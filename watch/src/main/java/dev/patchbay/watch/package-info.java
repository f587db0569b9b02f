/// Waiting for files and directories to change. Start at [PathWatch].
///
/// JDK only; used by every part that reacts to a path: the SDK to the kubelet's socket, drivers to
/// device nodes, the agent to its configuration, the node to its manifests.
@NullMarked
package dev.patchbay.watch;

import org.jspecify.annotations.NullMarked;
