/// The `patchbay` command: one class per sub-command. Start at [Patchbay].
///
/// Exit statuses: 0 done, 1 failed, 2 wrong usage or wrong configuration. Data goes to standard
/// output, everything else to standard error. Nothing depends on this package.
@NullMarked
package dev.patchbay.cli;

import org.jspecify.annotations.NullMarked;
