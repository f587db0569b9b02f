/// gRPC over Unix domain sockets: the only place that knows the transport library. Start at
/// [Transport].
///
/// Interoperates with Go's gRPC on both sides: plaintext HTTP/2 with prior knowledge, `:authority`
/// `localhost` when calling, any authority when called.
@NullMarked
package dev.patchbay.rpc;

import org.jspecify.annotations.NullMarked;
