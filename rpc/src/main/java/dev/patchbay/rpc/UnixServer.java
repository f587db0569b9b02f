package dev.patchbay.rpc;

import dev.patchbay.watch.FileIdentity;
import io.grpc.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/// A gRPC server on one socket file; see [Transport#serve].
public final class UnixServer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.rpc");

  private final Path socket;
  private final Server server;
  private final Optional<FileIdentity> made;
  private final Consumer<AutoCloseable> onClose;
  private final AtomicBoolean closed = new AtomicBoolean();

  UnixServer(
      Path socket, Server server, Optional<FileIdentity> made, Consumer<AutoCloseable> onClose) {
    this.socket = socket;
    this.server = server;
    this.made = made;
    this.onClose = onClose;
  }

  /// The socket file.
  public Path socket() {
    return socket;
  }

  /// Whether the socket file at that path is still the one that this server made.
  public boolean ownsSocketFile() {
    return made.isPresent() && made.equals(FileIdentity.of(socket));
  }

  /// Ends all calls, closes the socket and removes its file if it is still the one that this server
  /// made. May be called twice.
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) return;
    boolean ours = ownsSocketFile();
    server.shutdownNow();
    try {
      server.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try {
      if (ours) Files.deleteIfExists(socket);
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "socket not removed path=" + socket + " reason=" + e);
    }
    onClose.accept(this);
  }
}
