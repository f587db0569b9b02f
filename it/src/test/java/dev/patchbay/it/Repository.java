package dev.patchbay.it;

import java.nio.file.Path;
import java.util.Objects;

/// The checkout that the tests run in.
final class Repository {
  static final Path ROOT =
      Path.of(
          Objects.requireNonNull(
              System.getProperty("patchbay.root"), "patchbay.root is set by the build"));

  private Repository() {}
}
