package dev.patchbay.rpc.http2;

import dev.patchbay.rpc.hpack.Header;
import java.util.List;

/// What becomes of a stream. Called by the event loop, in order, and must not wait; but [#writable]
/// and [#lost] may come from any thread. One of [#reset] and [#lost] may come, and comes last; also
/// for a stream that is over already.
public interface StreamReader {
  /// A header block arrived: the first one, or trailers.
  ///
  /// @param isLast nothing follows from the peer
  void headers(List<Header> headers, boolean isLast);

  /// A part of the content arrived. What is taken of it is to be told to [Stream#taken], so that
  /// the peer may send more.
  ///
  /// @param bytes in which it lies, until this returns
  void data(byte[] bytes, int from, int length, boolean isLast);

  /// What was waiting to be sent is little again.
  void writable();

  /// The peer gave the stream up, or broke its rules.
  ///
  /// @param why for a person
  void reset(ErrorCode code, String why);

  /// The connection is over, or takes this stream no more.
  ///
  /// @param why for a person
  void lost(String why);
}
