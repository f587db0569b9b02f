package dev.patchbay.cluster;

import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Certificates and keys as text between lines of dashes (RFC 7468), several in one file.
final class Pem {
  private static final Pattern CERTIFICATE = block("CERTIFICATE");
  private static final Pattern KEY = block("((?:[A-Z]+ )?PRIVATE KEY)");

  private Pem() {}

  private static Pattern block(String what) {
    return Pattern.compile("-----BEGIN " + what + "-----([^-]+)-----END [A-Z ]+-----");
  }

  /// The certificates alone; empty when there are none.
  static String certificates(String text) {
    return CERTIFICATE
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .collect(Collectors.joining("\n"));
  }

  /// The first key alone; the whole when there is none.
  static String key(String text) {
    Matcher key = KEY.matcher(text);
    return key.find() ? key.group() : text;
  }

  /// The kind of a key, in Java's words.
  static String algorithm(String text) {
    Matcher key = KEY.matcher(text);
    if (!key.find()) return "RSA";
    return switch (key.group(1)) {
      case "EC PRIVATE KEY" -> "EC";
      case "PRIVATE KEY" -> isElliptic(key.group(2)) ? "EC" : "RSA";
      default -> "RSA";
    };
  }

  private static boolean isElliptic(String base64) {
    try {
      var _ =
          KeyFactory.getInstance("EC")
              .generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(base64)));
      return true;
    } catch (InvalidKeySpecException e) {
      return false;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java has no elliptic curves", e);
    }
  }
}
