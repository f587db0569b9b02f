@NullMarked
package dev.patchbay.drivers.devicenode;

import org.jspecify.annotations.NullMarked;
