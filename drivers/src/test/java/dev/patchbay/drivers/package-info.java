@NullMarked
package dev.patchbay.drivers;

import org.jspecify.annotations.NullMarked;
