/// The shipped agent under a real kubelet, containerd and runc: what `make interop` runs.
@NullMarked
package dev.patchbay.interop;

import org.jspecify.annotations.NullMarked;
