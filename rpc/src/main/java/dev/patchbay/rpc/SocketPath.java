package dev.patchbay.rpc;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// Paths that a Unix socket can have.
public final class SocketPath {
  /// `sockaddr_un.sun_path` has 108 bytes, the last of which is the end mark.
  public static final int MAX_BYTES = 107;

  private SocketPath() {}

  /// Returns the path if a socket can have it.
  ///
  /// @throws IOException when it is too long, which the kernel would report without the path
  public static Path check(Path path) throws IOException {
    int bytes = path.toString().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_BYTES)
      throw new IOException(
          "socket path "
              + path
              + " has "
              + bytes
              + " bytes; a Unix socket's path has at most "
              + MAX_BYTES);
    return path;
  }
}
