package dev.patchbay.rpc;

import io.grpc.BindableService;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// The threads that carry gRPC over Unix sockets, shared by all servers and channels of a process.
public final class Transport implements AutoCloseable {
  private Transport() {}

  /// Makes a transport; its threads start with the first server or channel.
  public static Transport open() {
    throw new UnsupportedOperationException();
  }

  /// Listens on a socket file and serves these services. An existing file at that path is an error.
  ///
  /// @throws IOException when the path is too long for a socket (107 bytes) or cannot be bound;
  ///   names the path
  public UnixServer serve(Path socket, List<? extends BindableService> services)
      throws IOException {
    throw new UnsupportedOperationException();
  }

  /// A channel to the socket; connects with the first call.
  ///
  /// @throws IOException when the path is too long for a socket
  public UnixChannel connect(Path socket) throws IOException {
    throw new UnsupportedOperationException();
  }

  /// Closes what is still open and ends the threads.
  @Override
  public void close() {}
}
