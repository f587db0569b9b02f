@NullMarked
package dev.patchbay.rpc;

import org.jspecify.annotations.NullMarked;
