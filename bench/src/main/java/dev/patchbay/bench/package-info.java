/// `make bench`: the agent as it is shipped, measured beside the same agent under plain `java`.
/// Start at [Bench].
///
/// Both run as processes of their own against a scripted kubelet in this one, in turns and in one
/// run, so that ratios hold where times do not. What is measured, and how, is [Measure].
@NullMarked
package dev.patchbay.bench;

import org.jspecify.annotations.NullMarked;
