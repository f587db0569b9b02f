package dev.patchbay.rpc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
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

  /// Where `s.sock` lies.
  Path socket() {
    return dir.resolve("s.sock");
  }

  /// Listens on it without a transport.
  ServerSocketChannel listen() throws IOException {
    return ServerSocketChannel.open(StandardProtocolFamily.UNIX)
        .bind(UnixDomainSocketAddress.of(socket()));
  }

  /// Closes what is open and removes the directory, which may hold `s.sock` and nothing else.
  @Override
  public void close() throws IOException {
    transport.close();
    Files.deleteIfExists(socket());
    Files.delete(dir);
  }
}
