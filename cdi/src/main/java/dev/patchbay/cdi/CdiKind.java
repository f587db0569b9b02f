package dev.patchbay.cdi;

import java.util.Optional;
import java.util.regex.Pattern;

/// The kind of the devices of one spec, `vendor.example/class`.
///
/// @param vendor begins with a letter, ends with a letter or digit, holds letters, digits, `_`, `-`
///   and `.`; by convention a domain
/// @param className as the vendor
public record CdiKind(String vendor, String className) implements Comparable<CdiKind> {
  private static final Pattern PART = Pattern.compile("[A-Za-z]([A-Za-z0-9_.-]*[A-Za-z0-9])?");

  public CdiKind {
    Optional<String> problem = problemOf(vendor + "/" + className);
    if (problem.isPresent()) throw new IllegalArgumentException(problem.get());
  }

  /// Reads `vendor.example/class`.
  ///
  /// @throws IllegalArgumentException when it is none; the message says why
  public static CdiKind of(String text) {
    Optional<String> problem = problemOf(text);
    if (problem.isPresent()) throw new IllegalArgumentException(problem.get());
    int slash = text.indexOf('/');
    return new CdiKind(text.substring(0, slash), text.substring(slash + 1));
  }

  /// Why this is no kind, or empty when it is one.
  public static Optional<String> problemOf(String text) {
    int slash = text.indexOf('/');
    if (slash < 0)
      return Optional.of("CDI kind \"" + text + "\" has no slash; needed is vendor/class");
    return part(text, "vendor", text.substring(0, slash))
        .or(() -> part(text, "class", text.substring(slash + 1)));
  }

  private static Optional<String> part(String text, String what, String part) {
    if (PART.matcher(part).matches()) return Optional.empty();
    return Optional.of(
        "CDI kind \""
            + text
            + "\" has the "
            + what
            + " \""
            + part
            + "\"; needed are letters, digits, '_', '-', '.', beginning with a letter and ending with"
            + " a letter or digit");
  }

  @Override
  public int compareTo(CdiKind other) {
    return toString().compareTo(other.toString());
  }

  @Override
  public String toString() {
    return vendor + "/" + className;
  }
}
