@NullMarked
package dev.patchbay.rpc.hpack;

import org.jspecify.annotations.NullMarked;
