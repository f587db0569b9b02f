/// Device families. Start at [Driver], the contract of one family; each family is a package below.
///
/// A driver reads the host and answers with values; it opens no socket, starts no thread and knows
/// neither the agent nor another driver.
@NullMarked
package dev.patchbay.drivers;

import org.jspecify.annotations.NullMarked;
