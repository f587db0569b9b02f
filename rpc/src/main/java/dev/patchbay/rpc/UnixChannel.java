package dev.patchbay.rpc;

import dev.patchbay.rpc.http2.Connection;
import dev.patchbay.rpc.http2.EventLoop;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/// A gRPC channel to one socket file; see [Transport#connect]. Connects with the first call, and
/// again with the next one after the connection was lost.
public final class UnixChannel implements AutoCloseable {
  /// The pause before a socket on which nobody listens is tried again.
  private static final Duration AGAIN = Duration.ofMillis(100);

  /// No process listens on the socket, or there is none.
  public static final class NobodyListensException extends IOException {
    private static final long serialVersionUID = 1L;

    NobodyListensException(String message, IOException cause) {
      super(message, cause);
    }
  }

  private final Path socket;
  private final EventLoop loop;
  private final Executor calls;
  private final Consumer<AutoCloseable> onClose;
  private final Channel grpc = new Calls();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final ReentrantLock lock = new ReentrantLock();
  private Optional<Connection> connection = Optional.empty();

  UnixChannel(Path socket, EventLoop loop, Executor calls, Consumer<AutoCloseable> onClose) {
    this.socket = socket;
    this.loop = loop;
    this.calls = calls;
    this.onClose = onClose;
  }

  /// The channel for generated stubs. Carries calls with one request; no headers of the caller's
  /// own.
  public Channel grpc() {
    return grpc;
  }

  /// Waits for this channel's socket, and for the deadlines of its calls.
  EventLoop loop() {
    return loop;
  }

  private final class Calls extends Channel {
    @Override
    public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
      if (!method.getType().clientSendsOneMessage())
        throw new IllegalArgumentException(
            method.getFullMethodName() + " takes a stream of requests; only one is carried here");
      return new OutgoingCall<>(
          UnixChannel.this,
          method,
          Optional.ofNullable(options.getAuthority()).orElse(authority()),
          Optional.ofNullable(options.getDeadline()),
          Optional.ofNullable(options.getExecutor()).orElse(calls));
    }

    /// Servers written in Rust refuse a path, and Go's client sends this name too.
    @Override
    public String authority() {
      return "localhost";
    }
  }

  /// The connection for a call.
  ///
  /// @throws NobodyListensException when there is nobody to connect to
  Connection connection() throws IOException {
    lock.lock();
    try {
      if (closed.getCount() == 0) throw new IOException("the channel to " + socket + " is closed");
      if (connection.filter(Connection::isOpen).isPresent()) return connection.get();
      Connection made = Connection.client(loop, connected(), this::forget);
      connection = Optional.of(made);
      return made;
    } finally {
      lock.unlock();
    }
  }

  private SocketChannel connected() throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      // A Unix socket connects at once, or not: when the listener's queue is full.
      channel.configureBlocking(false);
      if (!channel.connect(UnixDomainSocketAddress.of(socket)))
        throw new IOException("the connection does not stand at once");
      return channel;
    } catch (IOException e) {
      channel.close();
      if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS))
        throw new NobodyListensException(
            "nobody answers on " + socket + ": there is no such file", e);
      if (e instanceof ConnectException)
        throw new NobodyListensException(
            "nobody answers on " + socket + ": the file is there, but no process listens", e);
      throw new IOException("cannot connect to " + socket + ": " + e.getMessage(), e);
    }
  }

  private void forget(Connection ended) {
    lock.lock();
    try {
      if (connection.equals(Optional.of(ended))) connection = Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /// Waits until the connection stands.
  ///
  /// @throws IOException when it does not in that time; names the socket and why (nobody listens,
  ///   no such file)
  public void awaitConnected(Duration atMost) throws IOException, InterruptedException {
    Connection made = connection();
    if (!made.awaitGreeting(atMost))
      throw new IOException("no connection to " + socket + " within " + atMost);
    Optional<String> end = made.end();
    if (end.isPresent())
      throw new IOException("the connection to " + socket + " did not last: " + end.get());
  }

  /// Waits until the connection stands, also when nobody listens yet, as Go's blocking dial does;
  /// and no longer than the call lasts in whose context this is done.
  ///
  /// @throws IOException when it does not in that time; names the socket and why
  public void awaitListener(Duration atMost) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (true) {
      try {
        awaitConnected(Duration.ofNanos(deadline - System.nanoTime()));
        return;
      } catch (IOException e) {
        if (Context.current().isCancelled())
          throw new IOException("nobody waits for " + socket + " any more", e);
        long left = deadline - System.nanoTime();
        if (left <= 0 || closed.await(Math.min(left, AGAIN.toNanos()), TimeUnit.NANOSECONDS))
          throw e;
      }
    }
  }

  /// Ends all calls and closes the connection. May be called twice.
  @Override
  public void close() {
    Optional<Connection> last;
    lock.lock();
    try {
      closed.countDown();
      last = connection;
    } finally {
      lock.unlock();
    }
    last.ifPresent(Connection::close);
    onClose.accept(this);
  }
}
