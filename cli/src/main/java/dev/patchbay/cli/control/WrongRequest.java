package dev.patchbay.cli.control;

/// A request that cannot be understood: says what was found and what is needed.
final class WrongRequest extends Exception {
  private static final long serialVersionUID = 1;

  WrongRequest(String message) {
    super(message);
  }
}
