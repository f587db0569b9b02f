package dev.patchbay.kubelet.registration;

import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.RegisterRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.RegistrationGrpc;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixServer;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/// The service on `kubelet.sock`: checks a registration, connects back to the plugin, and starts to
/// read its list.
///
/// Everything in a request is hostile until checked. The checks, their order and their texts are
/// the kubelet's, with two more: the endpoint has to be a bare file name, which upstream joins to
/// the directory unchecked.
public final class RegistrationServer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.kubelet");
  private static final String VERSION = "v1beta1";

  private final Path directory;
  private final Timeouts timeouts;
  private final Plugins plugins;
  private final Transport transport = Transport.open();
  private final AtomicLong connections = new AtomicLong();
  private Optional<UnixServer> server = Optional.empty();

  /// Who is told of plugins.
  public interface Plugins extends PluginConnection.Listener {
    /// A plugin was connected; its list is read from now on.
    void connected(PluginConnection connection);
  }

  /// @param directory where `kubelet.sock` and the plugins' sockets lie; absolute
  public RegistrationServer(Path directory, Timeouts timeouts, Plugins plugins) {
    if (!directory.isAbsolute())
      throw new IllegalArgumentException(
          "bad socketPath, must be an absolute path: " + directory.resolve("kubelet.sock"));
    this.directory = directory;
    this.timeouts = timeouts;
    this.plugins = plugins;
  }

  /// Removes stale sockets and listens.
  ///
  /// @throws IOException when the directory cannot be used; names it
  public void start() throws IOException {
    PluginDirectory.prepare(directory);
    server =
        Optional.of(transport.serve(directory.resolve("kubelet.sock"), List.of(new Service())));
  }

  /// Stops listening and removes `kubelet.sock`. Connections to plugins are their owner's to close,
  /// before.
  @Override
  public void close() {
    server.ifPresent(UnixServer::close);
    transport.close();
  }

  private void register(RegisterRequest request) throws IOException, InterruptedException {
    if (!request.getVersion().equals(VERSION))
      throw new IOException(
          "requested API version \"%s\" is not supported by kubelet. Supported version is [\"%s\"]"
              .formatted(request.getVersion(), VERSION));
    if (ResourceName.problemOf(request.getResourceName()).isPresent())
      throw new IOException(
          "the ResourceName \"%s\" is invalid".formatted(request.getResourceName()));
    String endpoint = request.getEndpoint();
    if (endpoint.isEmpty()
        || endpoint.equals(".")
        || endpoint.equals("..")
        || endpoint.indexOf('/') >= 0
        || endpoint.indexOf('\0') >= 0)
      throw new IOException(
          "the endpoint \"%s\" is not the name of a socket file in %s"
              .formatted(endpoint, directory));
    PluginConnection connection =
        PluginConnection.open(
            transport,
            connections.incrementAndGet(),
            ResourceName.of(request.getResourceName()),
            socketOf(endpoint),
            timeouts);
    plugins.connected(connection);
    connection.watch(plugins);
    LOG.log(
        System.Logger.Level.INFO,
        "plugin registered resource=" + connection.resource() + " endpoint=" + endpoint);
  }

  private Path socketOf(String endpoint) throws IOException {
    try {
      return directory.resolve(endpoint);
    } catch (InvalidPathException e) {
      // Where the locale is POSIX, as under systemd, Java cannot name files outside ASCII.
      throw new IOException(
          "the endpoint \"%s\" cannot be the name of a file here: %s"
              .formatted(endpoint, e.getReason()),
          e);
    }
  }

  private final class Service extends RegistrationGrpc.RegistrationImplBase {
    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> answer) {
      try {
        RegistrationServer.this.register(request);
      } catch (IOException e) {
        LOG.log(
            System.Logger.Level.WARNING,
            "registration refused resource={0} endpoint={1} reason={2}",
            request.getResourceName(),
            request.getEndpoint(),
            String.valueOf(e.getMessage()));
        // As Go's gRPC does with a plain error of a handler.
        answer.onError(Status.UNKNOWN.withDescription(e.getMessage()).asException());
        return;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        answer.onError(Status.CANCELLED.withDescription("the kubelet is stopping").asException());
        return;
      }
      answer.onNext(Empty.getDefaultInstance());
      answer.onCompleted();
    }
  }
}
