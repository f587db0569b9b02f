/// HTTP/2 (RFC 9113) on sockets of this machine, as client and as server, for gRPC and nothing
/// else: no push, no priorities, no upgrade from HTTP/1. Start at [Connection].
///
/// One thread, the [EventLoop], reads from all connections and never waits for anything else;
/// whoever has something to send writes it, as far as the socket takes it. What a peer can make us
/// keep is bounded: headers, the data that no one has read yet, streams, answers that it does not
/// read.
@NullMarked
package dev.patchbay.rpc.http2;

import org.jspecify.annotations.NullMarked;
