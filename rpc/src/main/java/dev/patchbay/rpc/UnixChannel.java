package dev.patchbay.rpc;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/// A gRPC channel to one socket file; see [Transport#connect].
public final class UnixChannel implements AutoCloseable {
  /// No process listens on the socket, or there is none.
  public static final class NobodyListensException extends IOException {
    private static final long serialVersionUID = 1L;

    NobodyListensException(String message) {
      super(message);
    }
  }

  private final Path socket;
  private final ManagedChannel channel;
  private final Consumer<AutoCloseable> onClose;
  private final AtomicBoolean closed = new AtomicBoolean();

  UnixChannel(Path socket, ManagedChannel channel, Consumer<AutoCloseable> onClose) {
    this.socket = socket;
    this.channel = channel;
    this.onClose = onClose;
  }

  /// The channel for generated stubs.
  public ManagedChannel grpc() {
    return channel;
  }

  /// Waits until the connection stands.
  ///
  /// @throws IOException when it does not in that time; names the socket and why (nobody listens,
  ///   no such file)
  public void awaitConnected(Duration atMost) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (true) {
      var changed = new Semaphore(0);
      ConnectivityState state = channel.getState(true);
      switch (state) {
        case READY -> {
          return;
        }
        case TRANSIENT_FAILURE ->
            throw new NobodyListensException("nobody answers on " + socket + why());
        case SHUTDOWN -> throw new IOException("the channel to " + socket + " is closed");
        case IDLE, CONNECTING -> channel.notifyWhenStateChanged(state, changed::release);
      }
      if (!changed.tryAcquire(deadline - System.nanoTime(), TimeUnit.NANOSECONDS))
        throw new IOException("no connection to " + socket + " within " + atMost);
    }
  }

  /// Waits until the connection stands, also when nobody listens yet: gRPC tries again about once a
  /// second. It is what Go's blocking dial does.
  ///
  /// @throws IOException when it does not in that time; names the socket and why
  public void awaitListener(Duration atMost) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (true) {
      try {
        awaitConnected(Duration.ofNanos(deadline - System.nanoTime()));
        return;
      } catch (NobodyListensException e) {
        var triesAgain = new Semaphore(0);
        channel.notifyWhenStateChanged(ConnectivityState.TRANSIENT_FAILURE, triesAgain::release);
        if (!triesAgain.tryAcquire(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) throw e;
      }
    }
  }

  private String why() {
    return Files.exists(socket)
        ? ": the file is there, but no process listens"
        : ": there is no such file";
  }

  /// Ends all calls and closes the connection. May be called twice.
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) return;
    channel.shutdownNow();
    try {
      channel.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    onClose.accept(this);
  }
}
