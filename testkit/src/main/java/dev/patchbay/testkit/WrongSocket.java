package dev.patchbay.testkit;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/// What can lie in the place of `kubelet.sock` while no kubelet runs.
public enum WrongSocket {
  /// An ordinary file.
  FILE {
    @Override
    AutoCloseable place(Path socket) throws IOException {
      Files.writeString(socket, "not a socket");
      return () -> Files.deleteIfExists(socket);
    }
  },
  /// A socket on which nobody listens, as a kubelet that was killed leaves one.
  DEAD {
    @Override
    AutoCloseable place(Path socket) throws IOException {
      try (ServerSocketChannel dying = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
        dying.bind(UnixDomainSocketAddress.of(socket));
      }
      return () -> Files.deleteIfExists(socket);
    }
  },
  /// A socket on which somebody listens who never says a word.
  SILENT {
    @Override
    AutoCloseable place(Path socket) throws IOException {
      ServerSocketChannel silent = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      silent.bind(UnixDomainSocketAddress.of(socket));
      return () -> {
        silent.close();
        Files.deleteIfExists(socket);
      };
    }
  };

  /// Puts it there; a directory is made for it when there is none.
  ///
  /// @return what takes it away again
  abstract AutoCloseable place(Path socket) throws IOException;
}
