package dev.patchbay.kubelet.wire;

/// Texts that came over a socket, where they are told on. A message holds up to four mebibytes, and
/// all of it may be one name.
public final class Excerpt {
  private static final int MOST = 1_000;

  private Excerpt() {}

  /// The text, or its beginning and how long it is.
  public static String of(String text) {
    return text.length() <= MOST
        ? text
        : text.substring(0, MOST) + "… (" + text.length() + " characters)";
  }

  /// The same as part of one line: control characters are shown as `?`.
  public static String line(String text) {
    return of(text).replaceAll("\\p{Cntrl}", "?");
  }
}
