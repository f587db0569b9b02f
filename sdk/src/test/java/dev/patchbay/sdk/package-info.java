@NullMarked
package dev.patchbay.sdk;

import org.jspecify.annotations.NullMarked;
