@NullMarked
package dev.patchbay.agent;

import org.jspecify.annotations.NullMarked;
