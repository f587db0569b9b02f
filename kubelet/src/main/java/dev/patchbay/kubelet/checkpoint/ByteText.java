package dev.patchbay.kubelet.checkpoint;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Text that is put together as the bytes of its UTF-8. Not thread-safe.
final class ByteText {
  private byte[] bytes;
  private int length;

  /// @param expected about how many bytes it will have
  ByteText(int expected) {
    bytes = new byte[Math.max(16, expected)];
  }

  ByteText add(String text) {
    int size = text.length();
    room(size);
    for (int i = 0; i < size; i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        byte[] rest = text.substring(i).getBytes(StandardCharsets.UTF_8);
        return add(rest);
      }
      bytes[length++] = (byte) c;
    }
    return this;
  }

  ByteText add(byte[] more) {
    return add(more, 0, more.length);
  }

  /// @param to where the part ends, which is not added any more
  ByteText add(byte[] more, int from, int to) {
    int size = to - from;
    room(size);
    System.arraycopy(more, from, bytes, length, size);
    length += size;
    return this;
  }

  int length() {
    return length;
  }

  /// A string of JSON.
  ByteText quoted(String text) {
    add("\"");
    int plain = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= ' ' && c != '"' && c != '\\') continue;
      add(text.substring(plain, i)).add(escape(c));
      plain = i + 1;
    }
    return add(plain == 0 ? text : text.substring(plain)).add("\"");
  }

  private static String escape(char c) {
    return switch (c) {
      case '"' -> "\\\"";
      case '\\' -> "\\\\";
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      case '\b' -> "\\b";
      case '\f' -> "\\f";
      default -> "\\u00%02x".formatted((int) c);
    };
  }

  private void room(int more) {
    if (bytes.length - length < more)
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
  }

  byte[] bytes() {
    return Arrays.copyOf(bytes, length);
  }
}
