package dev.patchbay.cli;

import java.util.List;

/// A configuration that cannot be used; exit status 2.
final class WrongConfiguration extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<String> problems;

  /// @param problems one line each: `file:line:column: key: what is wrong`
  WrongConfiguration(String message, List<String> problems) {
    super(message);
    this.problems = List.copyOf(problems);
  }

  List<String> problems() {
    return problems;
  }
}
