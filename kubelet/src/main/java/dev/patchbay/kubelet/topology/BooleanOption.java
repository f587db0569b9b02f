package dev.patchbay.kubelet.topology;

import java.util.Set;

/// An option of one of the kubelet's managers that is true or false, in the words that Go's
/// `strconv.ParseBool` takes.
public final class BooleanOption {
  private static final Set<String> TRUE = Set.of("1", "t", "T", "true", "TRUE", "True");
  private static final Set<String> FALSE = Set.of("0", "f", "F", "false", "FALSE", "False");

  private BooleanOption() {}

  /// What it says.
  ///
  /// @param name of the option, for the message
  /// @throws IllegalArgumentException when it says neither; the text is the kubelet's
  public static boolean parse(String name, String value) {
    if (TRUE.contains(value)) return true;
    if (FALSE.contains(value)) return false;
    throw new IllegalArgumentException(
        "bad value for option \"%s\": strconv.ParseBool: parsing \"%s\": invalid syntax"
            .formatted(name, value.replace("\\", "\\\\").replace("\"", "\\\"")));
  }
}
