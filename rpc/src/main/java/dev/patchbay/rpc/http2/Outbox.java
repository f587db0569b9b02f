package dev.patchbay.rpc.http2;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;

/// Frames that the socket has not taken yet, in their order. For one thread at a time.
final class Outbox {
  private static final int SMALL = 1024;
  private static final int LARGE = 32 * 1024;

  private byte[] bytes = new byte[SMALL];
  private int from;
  private int to;

  /// How many bytes wait.
  int size() {
    return to - from;
  }

  /// Begins a frame; its payload has to follow.
  void frame(int length, FrameType type, int flags, int stream) {
    makeRoom(9 + length);
    put24(length);
    put8(type.number());
    put8(flags);
    put32(stream);
  }

  void put8(int value) {
    bytes[to++] = (byte) value;
  }

  void put16(int value) {
    put8(value >> 8);
    put8(value);
  }

  private void put24(int value) {
    put8(value >> 16);
    put16(value);
  }

  void put32(int value) {
    put16(value >> 16);
    put16(value);
  }

  /// Bytes that are no frame.
  void bytes(byte[] source) {
    makeRoom(source.length);
    put(source, 0, source.length);
  }

  void put(byte[] source, int at, int length) {
    System.arraycopy(source, at, bytes, to, length);
    to += length;
  }

  private void makeRoom(int more) {
    if (to + more <= bytes.length) return;
    int size = size();
    byte[] target = bytes;
    if (size + more > bytes.length) target = new byte[Math.max(2 * bytes.length, size + more)];
    System.arraycopy(bytes, from, target, 0, size);
    bytes = target;
    from = 0;
    to = size;
  }

  /// Writes as much as the channel takes now.
  ///
  /// @return whether that was all
  boolean writeTo(WritableByteChannel channel) throws IOException {
    while (from < to) {
      int written = channel.write(ByteBuffer.wrap(bytes, from, size()));
      if (written == 0) return false;
      from += written;
    }
    from = 0;
    to = 0;
    if (bytes.length > LARGE) bytes = new byte[SMALL];
    return true;
  }

  @Override
  public String toString() {
    return Arrays.toString(Arrays.copyOfRange(bytes, from, to));
  }
}
