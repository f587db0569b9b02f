/// The kubelet's messages and the model's values, one turned into the other. Nothing else in the
/// SDK sees a message builder.
@NullMarked
package dev.patchbay.sdk.wire;

import org.jspecify.annotations.NullMarked;
