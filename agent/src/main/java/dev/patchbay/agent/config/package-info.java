/// The agent's configuration: one YAML file, read strictly. Start at [ConfigReader].
///
/// The YAML library shows in this package alone. Records say what a configuration means; readers
/// say how it is written. All problems of a file are found together, each with line and column.
@NullMarked
package dev.patchbay.agent.config;

import org.jspecify.annotations.NullMarked;
