package dev.patchbay.rpc;

import java.nio.file.Path;

/// A gRPC server on one socket file; see [Transport#serve].
public final class UnixServer implements AutoCloseable {
  private UnixServer() {}

  /// The socket file.
  public Path socket() {
    throw new UnsupportedOperationException();
  }

  /// Whether the socket file at that path is still the one that this server made (inode and change
  /// time).
  public boolean ownsSocketFile() {
    throw new UnsupportedOperationException();
  }

  /// Ends all calls, closes the socket and removes its file if it is still the one that this server
  /// made.
  @Override
  public void close() {}
}
