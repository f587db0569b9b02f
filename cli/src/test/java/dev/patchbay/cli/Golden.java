package dev.patchbay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Output that is kept in a file. `make golden` rewrites the files; the difference is read in
/// review.
final class Golden {
  private static final Path DIRECTORY = Path.of("src/test/resources/golden");

  private Golden() {}

  static void check(String name, String text) throws IOException {
    Path file = DIRECTORY.resolve(name);
    if ("true".equals(System.getProperty("golden.update"))) Files.writeString(file, text);
    assertThat(text).as(file.toString()).isEqualTo(Files.readString(file));
  }
}
