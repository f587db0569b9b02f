/// The plugins' messages turned into values of the model and back. What a message says is checked
/// here.
@NullMarked
package dev.patchbay.kubelet.wire;

import org.jspecify.annotations.NullMarked;
