/// Tests of the system as a whole, with real sockets and real processes.
@NullMarked
package dev.patchbay.it;

import org.jspecify.annotations.NullMarked;
