@NullMarked
package dev.patchbay.agent.log;

import org.jspecify.annotations.NullMarked;
