package dev.patchbay.kubelet.podresources;

import dev.patchbay.kubelet.metrics.KubeletMetrics;
import dev.patchbay.kubelet.podresources.PodResourcesSettings.Gate;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixServer;
import io.grpc.BindableService;
import io.grpc.ServerInterceptors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/// PodResources on its socket. Both versions share one limit of calls per second: whoever asks too
/// often is told to come back.
public final class PodResourcesServer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.kubelet");
  private static final int SOCKET = 0140000;
  private static final int KIND = 0170000;

  private final Path socket;
  private final NodeHoldings node;
  private final PodResourcesSettings settings;
  private final KubeletMetrics metrics;
  private final CallLimit limit;
  private Optional<Transport> transport = Optional.empty();

  /// Makes a server; nothing is touched before [#start].
  ///
  /// @param directory where its `kubelet.sock` will lie: `pod-resources` in the kubelet's directory
  public PodResourcesServer(
      Path directory, NodeHoldings node, PodResourcesSettings settings, KubeletMetrics metrics) {
    this(directory.resolve("kubelet.sock"), node, settings, metrics, System::nanoTime);
  }

  /// Makes a server with a socket of any name; nothing is touched before [#start].
  public static PodResourcesServer at(
      Path socket, NodeHoldings node, PodResourcesSettings settings, KubeletMetrics metrics) {
    return new PodResourcesServer(socket, node, settings, metrics, System::nanoTime);
  }

  /// @param nanoTime what the limit of calls is measured with, like [System#nanoTime]
  PodResourcesServer(
      Path socket,
      NodeHoldings node,
      PodResourcesSettings settings,
      KubeletMetrics metrics,
      LongSupplier nanoTime) {
    this.socket = socket;
    this.node = node;
    this.settings = settings;
    this.metrics = metrics;
    limit = new CallLimit(settings.callsPerSecond(), settings.burst(), nanoTime);
  }

  /// Listens, in place of an earlier kubelet's socket. Does nothing when the service is switched
  /// off.
  ///
  /// @throws IOException when it cannot; names the directory or the socket
  public void start() throws IOException {
    if (!settings.has(Gate.KUBELET_POD_RESOURCES)) return;
    makeDirectory();
    removeSocket();
    Transport opened = Transport.open();
    transport = Optional.of(opened);
    UnixServer server =
        opened.serve(
            socket,
            List.of(
                limited(new PodResourcesV1(node, settings, metrics)),
                limited(new PodResourcesV1Alpha1(node, metrics))));
    LOG.log(System.Logger.Level.INFO, "pod resources served socket=" + server.socket());
  }

  private BindableService limited(BindableService service) {
    return () -> ServerInterceptors.intercept(service, new LimitedCalls(limit));
  }

  /// Where it listens.
  public Path socket() {
    return socket;
  }

  private void makeDirectory() throws IOException {
    Path directory = socket.toAbsolutePath().getParent();
    if (directory == null || Files.isDirectory(directory)) return;
    try {
      Files.createDirectories(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-x---")));
    } catch (IOException e) {
      throw new IOException("cannot make " + directory + ": " + e.getMessage(), e);
    }
  }

  private void removeSocket() throws IOException {
    try {
      Object mode = Files.getAttribute(socket, "unix:mode", LinkOption.NOFOLLOW_LINKS);
      if (((Integer) mode & KIND) != SOCKET)
        throw new IOException("cannot listen on " + socket + ": it is there and is no socket");
      Files.deleteIfExists(socket);
    } catch (NoSuchFileException e) {
      LOG.log(System.Logger.Level.DEBUG, "no socket of an earlier kubelet path=" + socket);
    }
  }

  /// Listens no more and removes the socket. May be called twice, and before [#start].
  @Override
  public void close() {
    transport.ifPresent(Transport::close);
  }
}
