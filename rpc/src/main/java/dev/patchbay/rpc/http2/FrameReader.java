package dev.patchbay.rpc.http2;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Cuts what a peer sends into frames. For one thread.
final class FrameReader {
  /// The largest payload; what a peer may send unless it was told otherwise.
  static final int MAX_PAYLOAD = 16 * 1024;

  private static final int HEAD = 9;
  private static final byte[] NOTHING = {};
  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  /// Who is given the frames.
  interface Frames {
    /// A whole frame.
    ///
    /// @param bytes in which the payload lies, until this method returns
    /// @param stream its number, 0 for the connection
    void frame(FrameType type, int flags, int stream, byte[] bytes, int from, int length)
        throws IOException;
  }

  private final Frames frames;
  private int prefaceLeft;
  private byte[] begun = NOTHING;

  /// @param prefaceComesFirst whether the peer is a client, which sends a text that no other
  ///   protocol begins with
  FrameReader(boolean prefaceComesFirst, Frames frames) {
    this.frames = frames;
    prefaceLeft = prefaceComesFirst ? PREFACE.length : 0;
  }

  /// What a client sends first.
  static byte[] preface() {
    return PREFACE.clone();
  }

  /// Whether the preface has not arrived yet.
  boolean awaitsPreface() {
    return prefaceLeft > 0;
  }

  /// Reads what is there.
  ///
  /// @param scratch room for it and for one frame more; holds nothing between two calls
  /// @return false when the peer has closed the connection
  boolean readFrom(ReadableByteChannel channel, byte[] scratch) throws IOException {
    int held = begun.length;
    System.arraycopy(begun, 0, scratch, 0, held);
    int read = channel.read(ByteBuffer.wrap(scratch, held, scratch.length - held));
    if (read <= 0) return read == 0;
    int end = held + read;
    int at = afterPreface(scratch, end);
    while (end - at >= HEAD) {
      int length = int24(scratch, at);
      if (length > MAX_PAYLOAD)
        throw new ConnectionException(
            ErrorCode.FRAME_SIZE_ERROR,
            "a frame has " + length + " bytes, more than " + MAX_PAYLOAD);
      if (end - at < HEAD + length) break;
      int stream = int32(scratch, at + 5) & Integer.MAX_VALUE;
      frames.frame(
          FrameType.of(scratch[at + 3] & 0xff),
          scratch[at + 4] & 0xff,
          stream,
          scratch,
          at + HEAD,
          length);
      at += HEAD + length;
    }
    begun = at == end ? NOTHING : Arrays.copyOfRange(scratch, at, end);
    return true;
  }

  private int afterPreface(byte[] bytes, int end) throws IOException {
    int length = Math.min(prefaceLeft, end);
    int from = PREFACE.length - prefaceLeft;
    if (!Arrays.equals(bytes, 0, length, PREFACE, from, from + length))
      throw new ConnectionException(ErrorCode.PROTOCOL_ERROR, "the peer does not speak HTTP/2");
    prefaceLeft -= length;
    return length;
  }

  private static int int24(byte[] bytes, int at) {
    return ((bytes[at] & 0xff) << 16) | int16(bytes, at + 1);
  }

  static int int16(byte[] bytes, int at) {
    return ((bytes[at] & 0xff) << 8) | (bytes[at + 1] & 0xff);
  }

  static int int32(byte[] bytes, int at) {
    return (int16(bytes, at) << 16) | int16(bytes, at + 2);
  }
}
