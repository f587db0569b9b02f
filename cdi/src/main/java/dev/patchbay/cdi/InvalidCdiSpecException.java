package dev.patchbay.cdi;

import java.io.IOException;
import java.util.List;

/// A spec file that breaks the specification.
public final class InvalidCdiSpecException extends IOException {
  private static final long serialVersionUID = 1;

  @SuppressWarnings("serial") // what List.copyOf makes is serializable
  private final List<String> problems;

  InvalidCdiSpecException(List<String> problems) {
    super(String.join("; ", problems));
    this.problems = List.copyOf(problems);
  }

  /// All faults that were found, each as `line 3: devices[0].name: …`.
  public List<String> problems() {
    return problems;
  }
}
