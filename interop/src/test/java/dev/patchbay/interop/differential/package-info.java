/// The same sequence of events is played against the embedded kubelet and against the reference
/// kubelet, which is Kubernetes' own code; what can be observed has to be equal.
///
/// Start at [DifferentialTest]: [Generator] makes a [Scenario] of a seed, [Duel] plays it against
/// two [Side]s in lock step, [Shrinker] makes a smaller one of it that still shows a difference.
/// Where upstream's choice is arbitrary, and where its answer is a defect that is not imitated,
/// [KnownDifference] says what is compared instead; docs/reference/differences.md lists the same.
@NullMarked
package dev.patchbay.interop.differential;

import org.jspecify.annotations.NullMarked;
