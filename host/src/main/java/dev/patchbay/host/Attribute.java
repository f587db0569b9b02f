package dev.patchbay.host;

import java.util.Optional;

/// The answer to reading a small file of `/sys` or `/proc`. Only the caller knows which answers
/// matter.
public sealed interface Attribute {
  /// The text, without the blanks at its end.
  record Value(String text) implements Attribute {}

  /// There is no such file.
  record Absent() implements Attribute {}

  /// The file is there but cannot be read; drivers answer EINVAL or EIO for what the hardware does
  /// not have.
  record Unreadable(String why) implements Attribute {}

  /// The text, if there is one.
  default Optional<String> value() {
    return this instanceof Value value ? Optional.of(value.text()) : Optional.empty();
  }
}
