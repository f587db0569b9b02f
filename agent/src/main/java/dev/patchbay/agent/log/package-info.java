/// How log lines look. Start at [LogOutput].
///
/// All modules log through `System.Logger` with constant words first and `key=value` after them;
/// here those lines become text for people or JSON for machines, on standard error.
@NullMarked
package dev.patchbay.agent.log;

import org.jspecify.annotations.NullMarked;
