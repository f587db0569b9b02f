package dev.patchbay.dist;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// Checksums in lower-case hexadecimal digits.
final class Digest {
  private Digest() {}

  static String sha256(byte[] bytes) {
    return of("SHA-256", bytes);
  }

  /// What Debian's `md5sums` holds; it protects against accidents alone.
  static String md5(byte[] bytes) {
    return of("MD5", bytes);
  }

  private static String of(String algorithm, byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has " + algorithm, e);
    }
  }
}
