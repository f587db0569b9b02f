@NullMarked
package dev.patchbay.host;

import org.jspecify.annotations.NullMarked;
