package dev.patchbay.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// An address and a port as text: `0.0.0.0:10680`, `[::1]:10680`.
public final class ListenAddress {
  /// What a text has to be, in words.
  public static final String NEEDED = "an address and a port, such as 0.0.0.0:10680 or [::1]:10680";

  private static final Pattern SHAPE =
      Pattern.compile("(?:(\\d{1,3}(?:\\.\\d{1,3}){3})|\\[([0-9a-fA-F:.]+)]):(\\d{1,5})");

  private ListenAddress() {}

  /// The address; empty when the text is none. No name is looked up.
  public static Optional<InetSocketAddress> parse(String text) {
    Matcher parts = SHAPE.matcher(text);
    if (!parts.matches()) return Optional.empty();
    int port = Integer.parseInt(parts.group(3));
    if (port < 1 || port > 65_535) return Optional.empty();
    try {
      String address = parts.group(1) == null ? parts.group(2) : parts.group(1);
      return Optional.of(new InetSocketAddress(InetAddress.ofLiteral(address), port));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
