package dev.patchbay.rpc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A transport and a directory for its socket, whose path is short enough for one.
record SocketHome(Transport transport, Path dir) implements AutoCloseable {
  static SocketHome open() {
    try {
      return new SocketHome(Transport.open(), Files.createTempDirectory(Path.of("/tmp"), "pb"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Closes what is open and removes the directory, which may hold `s.sock` and nothing else.
  @Override
  public void close() throws IOException {
    transport.close();
    Files.deleteIfExists(dir.resolve("s.sock"));
    Files.delete(dir);
  }
}
