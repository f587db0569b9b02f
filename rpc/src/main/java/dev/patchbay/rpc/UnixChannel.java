package dev.patchbay.rpc;

import io.grpc.ManagedChannel;
import java.io.IOException;
import java.time.Duration;

/// A gRPC channel to one socket file; see [Transport#connect].
public final class UnixChannel implements AutoCloseable {
  private UnixChannel() {}

  /// The channel for generated stubs.
  public ManagedChannel grpc() {
    throw new UnsupportedOperationException();
  }

  /// Waits until the connection stands.
  ///
  /// @throws IOException when it does not in that time; names the socket and why (nobody listens,
  ///   no such file)
  public void awaitConnected(Duration atMost) throws IOException, InterruptedException {
    throw new UnsupportedOperationException();
  }

  /// Ends all calls and closes the connection.
  @Override
  public void close() {}
}
