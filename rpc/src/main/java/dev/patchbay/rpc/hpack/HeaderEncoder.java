package dev.patchbay.rpc.hpack;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Encodes header blocks. Since it puts nothing into the peer's table, a block is the same at any
/// time and may be kept.
public final class HeaderEncoder {
  /// What the first block of a connection has to begin with: the dynamic table has no room. Who
  /// never used it need not know, then, which size the peer allows.
  public static final byte NO_TABLE = 0x20;

  private HeaderEncoder() {}

  /// The block for these headers.
  public static byte[] encode(List<Header> headers) {
    var block = new ByteArrayOutputStream(64);
    for (Header header : headers) {
      int whole = HeaderTable.indexOf(header.name(), header.value());
      if (whole > 0) {
        integer(0x80, 7, whole, block);
        continue;
      }
      int name = HeaderTable.indexOf(header.name());
      integer(0, 4, name, block);
      if (name == 0) text(header.name(), block);
      text(header.value(), block);
    }
    return block.toByteArray();
  }

  private static void integer(int high, int bits, int value, ByteArrayOutputStream block) {
    int most = (1 << bits) - 1;
    if (value < most) {
      block.write(high | value);
      return;
    }
    block.write(high | most);
    int rest = value - most;
    for (; rest >= 0x80; rest >>>= 7) block.write((rest & 0x7f) | 0x80);
    block.write(rest);
  }

  private static void text(String text, ByteArrayOutputStream block) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    integer(0, 7, bytes.length, block);
    block.write(bytes, 0, bytes.length);
  }
}
