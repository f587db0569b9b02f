package dev.patchbay.rpc;

import dev.patchbay.rpc.http2.EventLoop;
import io.grpc.BindableService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/// The threads that carry gRPC over Unix sockets, shared by all servers and channels of a process.
///
/// One event loop moves the bytes; each call runs on a virtual thread of its own and may block.
/// Messages of more than 4 MiB are refused, as Go's gRPC does by default.
public final class Transport implements AutoCloseable {
  /// The largest message that is accepted, in bytes; the default of Go's gRPC and so of every
  /// kubelet.
  public static final int MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

  private final EventLoop loop = new EventLoop();
  private final ExecutorService calls =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("patchbay-call-", 0).factory());
  private final Set<AutoCloseable> open = ConcurrentHashMap.newKeySet();

  private Transport() {}

  /// Makes a transport; its thread starts with the first server or channel.
  public static Transport open() {
    return new Transport();
  }

  /// Listens on a socket file and serves these services, whose methods take one request each. An
  /// existing file at that path is an error.
  ///
  /// @throws IOException when the path is too long for a socket (107 bytes) or cannot be bound;
  ///   names the path
  public UnixServer serve(Path socket, List<? extends BindableService> services)
      throws IOException {
    SocketPath.check(socket);
    if (Files.exists(socket, LinkOption.NOFOLLOW_LINKS))
      throw new IOException("cannot listen on " + socket + ": a file is there already");
    UnixServer server = UnixServer.start(socket, services, loop, calls, open::remove);
    open.add(server);
    return server;
  }

  /// A channel to the socket; connects with the first call.
  ///
  /// @throws IOException when the path is too long for a socket
  public UnixChannel connect(Path socket) throws IOException {
    SocketPath.check(socket);
    var channel = new UnixChannel(socket, loop, calls, open::remove);
    open.add(channel);
    return channel;
  }

  /// Closes what is still open and ends the threads. May be called twice.
  @Override
  public void close() {
    for (AutoCloseable each : List.copyOf(open)) {
      switch (each) {
        case UnixServer server -> server.close();
        case UnixChannel channel -> channel.close();
        default -> throw new IllegalStateException("unknown: " + each);
      }
    }
    // Before the calls' threads: it may be telling a call that its peer is gone.
    loop.close();
    calls.shutdownNow();
    try {
      var _ = calls.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
