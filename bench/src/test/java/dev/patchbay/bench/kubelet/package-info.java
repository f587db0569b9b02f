@NullMarked
package dev.patchbay.bench.kubelet;

import org.jspecify.annotations.NullMarked;
