/// Running a container with an OCI runtime such as `runc`. Start at [OciRuntime]; [BundleSpec] says
/// what runs, [Bundle] lays it out on disk.
///
/// Only the device nodes that were granted can be opened: the device cgroup denies everything, then
/// allows the nodes that every container has and the granted ones. There are no images; a container
/// sees the programs of the host, read-only, or a directory that is named as its root.
///
/// Each container has a small shell as its parent, in a session of its own, that keeps the exit
/// status in a file. So containers go on when the node's process ends, and a new one learns what
/// became of them.
///
/// | file of a bundle | written by | says |
/// |---|---|---|
/// | `config.json` | [Bundle] | what runs, as the OCI runtime specification 1.0.2 wants it |
/// | `log` | the container | its standard output and error |
/// | `runtime.log` | the runtime | what the runtime could not do, a JSON object a line |
/// | `shim.pid`, `pid` | the shell, the runtime | process ids of the shell and of the container |
/// | `exit` | the shell | exit status; the container is gone |
///
/// Facts come from the OCI runtime specification (`config.md`, `config-linux.md`, `runtime.md`);
/// the default capabilities and masked paths are Docker's. Used by the node.
@NullMarked
package dev.patchbay.oci;

import org.jspecify.annotations.NullMarked;
