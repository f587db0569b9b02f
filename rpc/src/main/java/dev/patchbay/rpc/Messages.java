package dev.patchbay.rpc;

import io.grpc.KnownLength;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.function.Consumer;

/// Messages as gRPC puts them into a stream: a byte that says whether the message is compressed,
/// four bytes with its length, the message. An object cuts one stream into messages; for one
/// thread.
final class Messages {
  private static final int HEAD = 5;

  private final byte[] head = new byte[HEAD];
  private int headRead;
  private byte[] message = {};
  private int messageRead;

  /// A message of a marshaller, ready to be sent.
  static byte[] framed(InputStream message) {
    try (message) {
      byte[] framed;
      if (message instanceof KnownLength) {
        framed = new byte[HEAD + message.available()];
        int read = message.readNBytes(framed, HEAD, framed.length - HEAD);
        if (read != framed.length - HEAD)
          throw new IllegalStateException("a message is shorter than it says");
      } else {
        byte[] bytes = message.readAllBytes();
        framed = new byte[HEAD + bytes.length];
        System.arraycopy(bytes, 0, framed, HEAD, bytes.length);
      }
      int length = framed.length - HEAD;
      for (int i = 1; i < HEAD; i++) framed[i] = (byte) (length >> (8 * (4 - i)));
      return framed;
    } catch (IOException e) {
      throw new UncheckedIOException("a message cannot be turned into bytes", e);
    }
  }

  /// A received message for a marshaller.
  static InputStream stream(byte[] message) {
    return new MessageBytes(message);
  }

  private static final class MessageBytes extends ByteArrayInputStream implements KnownLength {
    MessageBytes(byte[] message) {
      super(message);
    }
  }

  /// Takes the next bytes of the stream.
  ///
  /// @param whole given each message that is complete
  /// @throws StatusRuntimeException when a message is compressed or larger than is accepted
  void add(byte[] bytes, int from, int length, Consumer<byte[]> whole) {
    int at = from;
    int end = from + length;
    while (at < end) {
      if (headRead < HEAD) {
        int part = Math.min(HEAD - headRead, end - at);
        System.arraycopy(bytes, at, head, headRead, part);
        headRead += part;
        at += part;
        if (headRead < HEAD) return;
        message = new byte[checkedLength()];
        messageRead = 0;
      }
      int part = Math.min(message.length - messageRead, end - at);
      System.arraycopy(bytes, at, message, messageRead, part);
      messageRead += part;
      at += part;
      if (messageRead < message.length) return;
      headRead = 0;
      whole.accept(message);
      message = new byte[0];
    }
  }

  /// Whether a message has begun and is not complete.
  boolean isInside() {
    return headRead > 0;
  }

  private int checkedLength() {
    if (head[0] != 0)
      throw Status.UNIMPLEMENTED
          .withDescription("a compressed message; none was agreed on")
          .asRuntimeException();
    int length = 0;
    for (int i = 1; i < HEAD; i++) length = (length << 8) | (head[i] & 0xff);
    if (length < 0 || length > Transport.MAX_MESSAGE_BYTES)
      throw Status.RESOURCE_EXHAUSTED
          .withDescription(
              "a message has "
                  + Integer.toUnsignedString(length)
                  + " bytes, more than "
                  + Transport.MAX_MESSAGE_BYTES)
          .asRuntimeException();
    return length;
  }
}
