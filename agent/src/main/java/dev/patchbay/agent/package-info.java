/// The node agent: configuration, drivers and the SDK put together. Start at [Agent]; what it would
/// do, without doing it, is [Plan].
///
/// Wiring is constructor calls here, readable from top to bottom; the list of built-in device
/// families is [BuiltInDrivers].
@NullMarked
package dev.patchbay.agent;

import org.jspecify.annotations.NullMarked;
