@NullMarked
package dev.patchbay.agent.config;

import org.jspecify.annotations.NullMarked;
