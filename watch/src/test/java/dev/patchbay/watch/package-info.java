@NullMarked
package dev.patchbay.watch;

import org.jspecify.annotations.NullMarked;
