@NullMarked
package dev.patchbay.rpc.http2;

import org.jspecify.annotations.NullMarked;
