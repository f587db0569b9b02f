/// The control protocol: `patchbay kubelet --control` does what a test asks for, one JSON object a
/// line on standard input, one answer a line on standard output.
///
/// Start at [dev.patchbay.cli.control.ControlSession], which knows lines and replies alone;
/// [dev.patchbay.cli.control.KubeletOperations] knows what each operation means. Used by `cli`
/// alone. The reference kubelet in `interop` answers the same protocol with Kubernetes' own code.
@NullMarked
package dev.patchbay.cli.control;

import org.jspecify.annotations.NullMarked;
