/// Header compression of HTTP/2, RFC 7541. Start at [HeaderDecoder] and [HeaderEncoder].
///
/// JDK only. The decoder understands all of it; the encoder uses neither the dynamic table nor
/// Huffman codes, which save nothing on a socket of the same machine.
@NullMarked
package dev.patchbay.rpc.hpack;

import org.jspecify.annotations.NullMarked;
