package dev.patchbay.rpc;

import dev.patchbay.watch.FileIdentity;
import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.NameResolverRegistry;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/// The threads that carry gRPC over Unix sockets, shared by all servers and channels of a process.
///
/// One event loop moves the bytes; each call runs on a virtual thread of its own and may block.
/// Messages of more than 4 MiB are refused, as Go's gRPC does by default.
public final class Transport implements AutoCloseable {
  /// The largest message that is accepted, in bytes; the default of Go's gRPC and so of every
  /// kubelet.
  public static final int MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

  // Netty tells for each connection that a Unix socket knows no keep-alive. Held, so that the level
  // stays.
  private static final Logger BOOTSTRAP = Logger.getLogger("io.netty.bootstrap");

  static {
    BOOTSTRAP.setLevel(Level.SEVERE);
    NameResolverRegistry.getDefaultRegistry().register(new SocketResolver.Provider());
  }

  private final MultiThreadIoEventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("patchbay-rpc", true), NioIoHandler.newFactory());
  private final ExecutorService calls =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("patchbay-call-", 0).factory());
  private final Set<AutoCloseable> open = ConcurrentHashMap.newKeySet();

  private Transport() {}

  /// Makes a transport; its thread starts with the first server or channel.
  public static Transport open() {
    return new Transport();
  }

  /// Listens on a socket file and serves these services. An existing file at that path is an error.
  ///
  /// @throws IOException when the path is too long for a socket (107 bytes) or cannot be bound;
  ///   names the path
  public UnixServer serve(Path socket, List<? extends BindableService> services)
      throws IOException {
    SocketPath.check(socket);
    if (Files.exists(socket, LinkOption.NOFOLLOW_LINKS))
      throw new IOException("cannot listen on " + socket + ": a file is there already");
    // Netty removes, at the end, whatever lies at the path that it bound; with a path of its own,
    // and a rename once it listens, it
    // cannot remove a file that somebody else made meanwhile.
    Path bound =
        SocketPath.check(socket.resolveSibling(".pb" + Long.toString(System.nanoTime(), 36)));
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(bound))
            .channelType(NioServerDomainSocketChannel.class)
            .bossEventLoopGroup(loop)
            .workerEventLoopGroup(loop)
            .executor(calls)
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .handshakeTimeout(10, TimeUnit.SECONDS);
    services.forEach(builder::addService);
    Server server = builder.build();
    try {
      server.start();
      Files.move(bound, socket, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      server.shutdownNow();
      throw new IOException("cannot listen on " + socket + ": " + causeOf(e), e);
    }
    var result = new UnixServer(socket, server, FileIdentity.of(socket), open::remove);
    open.add(result);
    return result;
  }

  /// A channel to the socket; connects with the first call.
  ///
  /// @throws IOException when the path is too long for a socket
  public UnixChannel connect(Path socket) throws IOException {
    SocketPath.check(socket);
    ManagedChannel channel =
        NettyChannelBuilder.forTarget(SocketResolver.target(socket))
            .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
            .eventLoopGroup(loop)
            .executor(calls)
            .usePlaintext()
            // Servers written in Rust refuse a path as authority, and Go's client sends this name
            // too.
            .overrideAuthority("localhost")
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .disableRetry()
            .build();
    var result = new UnixChannel(socket, channel, open::remove);
    open.add(result);
    return result;
  }

  private static String causeOf(IOException failure) {
    Throwable deepest = failure;
    for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause())
      deepest = cause;
    String message = deepest.getMessage();
    return message == null ? deepest.toString() : message;
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
    calls.shutdownNow();
    try {
      // What still runs in a call needs the loop, and would complain of it.
      calls.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    loop.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
