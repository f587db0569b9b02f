package dev.patchbay.rpc;

import dev.patchbay.rpc.http2.Connection;
import dev.patchbay.rpc.http2.EventLoop;
import dev.patchbay.watch.FileIdentity;
import io.grpc.BindableService;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/// A gRPC server on one socket file; see [Transport#serve].
public final class UnixServer implements AutoCloseable {
  /// How many may wait to be let in; who comes when it is full is sent away. As many as Linux
  /// allows by default, as Go's listeners have; Java's own have 50.
  private static final int WAITING = 4096;

  /// Between two tries to let somebody in after one that failed: these two and what lies between,
  /// as Go's servers wait.
  private static final Duration FIRST_PAUSE = Duration.ofMillis(5);

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private static final System.Logger LOG = System.getLogger("dev.patchbay.rpc");

  private final Path socket;
  private final EventLoop loop;
  private final IncomingCalls calls;
  private final Consumer<AutoCloseable> onClose;
  private final ServerSocketChannel listener;
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile Optional<FileIdentity> made = Optional.empty();
  private volatile Optional<String> whyNobodyIsLetIn = Optional.empty();

  private UnixServer(
      Path socket, EventLoop loop, IncomingCalls calls, Consumer<AutoCloseable> onClose)
      throws IOException {
    this.socket = socket;
    this.loop = loop;
    this.calls = calls;
    this.onClose = onClose;
    listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
  }

  /// Listens.
  static UnixServer start(
      Path socket,
      List<? extends BindableService> services,
      EventLoop loop,
      Executor executor,
      Consumer<AutoCloseable> onClose)
      throws IOException {
    var server = new UnixServer(socket, loop, new IncomingCalls(services, executor), onClose);
    try {
      server.listen();
      return server;
    } catch (IOException e) {
      server.listener.close();
      throw new IOException("cannot listen on " + socket + ": " + e.getMessage(), e);
    }
  }

  private void listen() throws IOException {
    // Who finds the socket under its name can connect: a name of its own until it listens.
    Path draft = socket.resolveSibling(".pb" + Long.toString(System.nanoTime(), 36));
    listener.bind(UnixDomainSocketAddress.of(SocketPath.check(draft)), WAITING);
    try {
      listener.configureBlocking(false);
      Files.move(draft, socket, StandardCopyOption.ATOMIC_MOVE);
      made = FileIdentity.of(socket);
      loop.register(listener, SelectionKey.OP_ACCEPT, (key, _) -> accept(key));
    } catch (IOException e) {
      Files.deleteIfExists(draft);
      throw e;
    }
  }

  private void accept(SelectionKey key) throws IOException {
    try {
      letIn();
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      // As when the process has as many open files as it may: that passes.
      whyNobodyIsLetIn = Optional.of(String.valueOf(e.getMessage()));
      key.interestOps(0);
      String line = "nobody can connect for now socket=" + socket + " reason=" + e.getMessage();
      // Apart, since a first log line opens files, and fails where none can be opened.
      Thread.ofVirtual().start(() -> LOG.log(System.Logger.Level.ERROR, line));
      Thread.ofVirtual().name("patchbay-accept-" + socket.getFileName()).start(() -> retry(key));
    }
  }

  private void letIn() throws IOException {
    for (SocketChannel client = listener.accept(); client != null; client = listener.accept()) {
      try {
        Connection connection = Connection.server(loop, client, calls, connections::remove);
        connections.add(connection);
        // It, or this server, may have ended meanwhile.
        if (closed.get() || connection.end().isPresent()) {
          connection.close();
          connections.remove(connection);
        }
      } catch (IOException | RuntimeException e) {
        LOG.log(System.Logger.Level.DEBUG, "client not served reason=" + e);
        client.close();
      }
    }
  }

  /// Tries until somebody could be let in, or this server is closed.
  private void retry(SelectionKey key) {
    Duration pause = FIRST_PAUSE;
    while (true) {
      try {
        Thread.sleep(pause);
        letIn();
        whyNobodyIsLetIn = Optional.empty();
        key.interestOps(SelectionKey.OP_ACCEPT);
        loop.wakeUp();
        LOG.log(System.Logger.Level.INFO, "one can connect again socket=" + socket);
        return;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      } catch (ClosedChannelException | CancelledKeyException e) {
        return;
      } catch (IOException e) {
        whyNobodyIsLetIn = Optional.of(String.valueOf(e.getMessage()));
        Duration longer = pause.multipliedBy(2);
        pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
      }
    }
  }

  /// Why nobody can connect now; empty when one can, and after [#close]. Waits for nobody but the
  /// file system.
  public Optional<String> problem() {
    if (closed.get()) return Optional.empty();
    if (!loop.isRunning() || !listener.isOpen())
      return Optional.of("nobody listens on " + socket + " any more");
    if (!ownsSocketFile())
      return Optional.of(socket + " was removed, or another file is in its place");
    return whyNobodyIsLetIn.map(why -> "cannot accept on " + socket + ": " + why);
  }

  /// The socket file.
  public Path socket() {
    return socket;
  }

  /// Whether the socket file at that path is still the one that this server made.
  public boolean ownsSocketFile() {
    // Its number is no other file's as long as it is open; its change time moves with its mode.
    return made.flatMap(mine ->
            FileIdentity.of(socket)
                .filter(now -> now.device() == mine.device() && now.inode() == mine.inode()))
        .isPresent();
  }

  /// Ends all calls, closes the socket and removes its file if it is still the one that this server
  /// made. May be called twice.
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) return;
    try {
      if (ownsSocketFile()) Files.deleteIfExists(socket);
      listener.close();
      loop.wakeUp();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "socket not removed path=" + socket + " reason=" + e);
    }
    List.copyOf(connections).forEach(Connection::close);
    onClose.accept(this);
  }
}
