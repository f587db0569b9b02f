package dev.patchbay.cdi;

import java.util.Optional;
import java.util.regex.Pattern;

/// The fully qualified name of one device, `vendor.example/class=name`.
///
/// @param kind of the spec that has the device
/// @param device begins and ends with a letter or digit, holds letters, digits, `_`, `-`, `.` and
///   `:`
public record CdiName(CdiKind kind, String device) implements Comparable<CdiName> {
  private static final Pattern DEVICE =
      Pattern.compile("[A-Za-z0-9]([A-Za-z0-9_.:-]*[A-Za-z0-9])?");

  public CdiName {
    Optional<String> problem = problemOfDevice(device);
    if (problem.isPresent()) throw new IllegalArgumentException(problem.get());
  }

  /// Reads `vendor.example/class=name`.
  ///
  /// @throws IllegalArgumentException when it is none; the message says why
  public static CdiName of(String text) {
    Optional<String> problem = problemOf(text);
    if (problem.isPresent()) throw new IllegalArgumentException(problem.get());
    int equals = text.indexOf('=');
    return new CdiName(CdiKind.of(text.substring(0, equals)), text.substring(equals + 1));
  }

  /// Why this is no device name, or empty when it is one.
  public static Optional<String> problemOf(String text) {
    int equals = text.indexOf('=');
    if (equals < 0)
      return Optional.of("CDI name \"" + text + "\" has no '='; needed is vendor/class=device");
    return CdiKind.problemOf(text.substring(0, equals))
        .or(() -> problemOfDevice(text.substring(equals + 1)));
  }

  /// Why this cannot be the last part of a name, or empty when it can.
  public static Optional<String> problemOfDevice(String device) {
    if (DEVICE.matcher(device).matches()) return Optional.empty();
    return Optional.of(
        "CDI device \""
            + device
            + "\" has to be of letters, digits, '_', '-', '.', ':', beginning and ending with a"
            + " letter or digit");
  }

  @Override
  public int compareTo(CdiName other) {
    return toString().compareTo(other.toString());
  }

  @Override
  public String toString() {
    return kind + "=" + device;
  }
}
