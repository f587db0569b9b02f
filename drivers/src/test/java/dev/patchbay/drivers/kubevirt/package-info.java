@NullMarked
package dev.patchbay.drivers.kubevirt;

import org.jspecify.annotations.NullMarked;
