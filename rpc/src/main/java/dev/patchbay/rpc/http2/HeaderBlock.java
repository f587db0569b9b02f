package dev.patchbay.rpc.http2;

import java.io.ByteArrayOutputStream;

/// A header block that comes in several frames: HEADERS and any number of CONTINUATION.
final class HeaderBlock {
  /// The most bytes of a block, and of the list of its headers.
  static final int MAX_BYTES = 64 * 1024;

  /// So many frames are never needed for that.
  private static final int MAX_FRAMES = 64;

  final int stream;
  final boolean isLast;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private int frames;

  HeaderBlock(int stream, boolean isLast) {
    this.stream = stream;
    this.isLast = isLast;
  }

  void add(byte[] from, int at, int length) throws ConnectionException {
    bytes.write(from, at, length);
    if (++frames > MAX_FRAMES || bytes.size() > MAX_BYTES)
      throw new ConnectionException(
          ErrorCode.ENHANCE_YOUR_CALM,
          "a header block has more than " + MAX_BYTES + " bytes or " + MAX_FRAMES + " frames");
  }

  byte[] bytes() {
    return bytes.toByteArray();
  }
}
