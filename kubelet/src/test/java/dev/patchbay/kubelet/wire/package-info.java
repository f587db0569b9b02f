@NullMarked
package dev.patchbay.kubelet.wire;

import org.jspecify.annotations.NullMarked;
