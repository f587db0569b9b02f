package dev.patchbay.kubelet.registration;

import dev.patchbay.kubelet.registration.PluginObserver.Registration;
import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.RegisterRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.RegistrationGrpc;
import dev.patchbay.rpc.UnixServer;
import io.grpc.BindableService;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// The services on `kubelet.sock`: checks a registration, connects back to the plugin, and starts
/// to read its list. Plugins of `v1beta1` call one service, those written for Kubernetes 1.8 and
/// 1.9 another. A service none of whose versions is accepted is not served, as by a kubelet that
/// never heard of it.
///
/// Everything in a request is hostile until checked. The checks, their order and their texts are
/// the kubelet's, with two more: the endpoint has to be a bare file name, which upstream joins to
/// the directory unchecked.
public final class RegistrationServer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.kubelet");

  private final Path directory;
  private final PluginConnector connector;
  private final Set<PluginApi> accepted;
  private final Endpoints endpoints;
  private Optional<UnixServer> server = Optional.empty();

  /// What an endpoint may be.
  public enum Endpoints {
    /// The name of a socket file in the directory.
    IN_THE_DIRECTORY,
    /// Whatever comes of joining it to the directory, as upstream has it.
    ANYWHERE
  }

  /// @param directory where `kubelet.sock` and the plugins' sockets lie; absolute
  /// @param accepted versions of the API that plugins may register with; at least one
  public RegistrationServer(
      Path directory, PluginConnector connector, Set<PluginApi> accepted, Endpoints endpoints) {
    if (!directory.isAbsolute())
      throw new IllegalArgumentException(
          "bad socketPath, must be an absolute path: " + directory.resolve("kubelet.sock"));
    if (accepted.isEmpty())
      throw new IllegalArgumentException("no version of the device plugin API is accepted");
    this.directory = directory;
    this.connector = connector;
    this.accepted = EnumSet.copyOf(accepted);
    this.endpoints = endpoints;
  }

  /// Removes stale sockets and listens.
  ///
  /// @throws IOException when the directory cannot be used; names it
  public void start() throws IOException {
    PluginDirectory.prepare(directory);
    List<BindableService> services = new ArrayList<>();
    if (accepted.contains(PluginApi.V1BETA1)) services.add(new Service());
    if (accepted.stream().anyMatch(PluginApi::isAlpha)) services.add(new AlphaService());
    server = Optional.of(connector.transport().serve(directory.resolve("kubelet.sock"), services));
  }

  /// Stops listening and removes `kubelet.sock`. Connections to plugins are their owner's to close,
  /// before.
  @Override
  public void close() {
    server.ifPresent(UnixServer::close);
  }

  /// @param service which versions belong to the service that was called
  private void register(Registration request, Predicate<PluginApi> service)
      throws IOException, InterruptedException {
    PluginApi api =
        PluginApi.of(request.version())
            .filter(service)
            .filter(accepted::contains)
            .orElseThrow(() ->
                new IOException(
                    "requested API version \"%s\" is not supported by kubelet. Supported version is [%s]"
                        .formatted(request.version(), versions(service))));
    if (ResourceName.problemOf(request.resource()).isPresent())
      throw new IOException("the ResourceName \"%s\" is invalid".formatted(request.resource()));
    String endpoint = request.endpoint();
    if (endpoints == Endpoints.IN_THE_DIRECTORY && !isFileName(endpoint))
      throw new IOException(
          "the endpoint \"%s\" is not the name of a socket file in %s"
              .formatted(endpoint, directory));
    var connection =
        connector.connect(ResourceName.of(request.resource()), socketOf(endpoint), api);
    LOG.log(
        System.Logger.Level.INFO,
        "plugin registered resource="
            + connection.resource()
            + " endpoint="
            + endpoint
            + (api.isAlpha() ? " api=" + api.version() : ""));
  }

  private static boolean isFileName(String endpoint) {
    return !endpoint.isEmpty()
        && !endpoint.equals(".")
        && !endpoint.equals("..")
        && endpoint.indexOf('/') < 0
        && endpoint.indexOf('\0') < 0;
  }

  private String versions(Predicate<PluginApi> service) {
    return Arrays.stream(PluginApi.values())
        .filter(service)
        .filter(accepted::contains)
        .map(each -> '"' + each.version() + '"')
        .collect(Collectors.joining(" "));
  }

  private Path socketOf(String endpoint) throws IOException {
    try {
      // An absolute one lies below the directory.
      return Path.of(directory + "/" + endpoint).normalize();
    } catch (InvalidPathException e) {
      // Where the locale is POSIX, as under systemd, Java cannot name files outside ASCII.
      throw new IOException(
          "the endpoint \"%s\" cannot be the name of a file here: %s"
              .formatted(endpoint, e.getReason()),
          e);
    }
  }

  /// Answers a Register call of either service.
  private <A> void answer(
      Registration request, Predicate<PluginApi> service, StreamObserver<A> answer, A accepted) {
    try {
      connector.observer().arrived(request);
      register(request, service);
    } catch (IOException e) {
      String why = String.valueOf(e.getMessage());
      LOG.log(
          System.Logger.Level.WARNING,
          "registration refused resource={0} endpoint={1} reason={2}",
          request.resource(),
          request.endpoint(),
          why);
      connector.observer().refused(request, why);
      // As Go's gRPC does with a plain error of a handler.
      answer.onError(Status.UNKNOWN.withDescription(why).asException());
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      answer.onError(Status.CANCELLED.withDescription("the kubelet is stopping").asException());
      return;
    }
    answer.onNext(accepted);
    answer.onCompleted();
  }

  private final class Service extends RegistrationGrpc.RegistrationImplBase {
    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> answer) {
      answer(
          new Registration(
              request.getVersion(),
              request.getResourceName(),
              request.getEndpoint(),
              request.getOptions().getPreStartRequired(),
              request.getOptions().getGetPreferredAllocationAvailable()),
          api -> !api.isAlpha(),
          answer,
          Empty.getDefaultInstance());
    }
  }

  /// What kubelets before 1.10 served; its names on the wire are those of another package.
  private final class AlphaService
      extends dev.patchbay.proto.deviceplugin.v1alpha.RegistrationGrpc.RegistrationImplBase {
    @Override
    public void register(
        dev.patchbay.proto.deviceplugin.v1alpha.RegisterRequest request,
        StreamObserver<dev.patchbay.proto.deviceplugin.v1alpha.Empty> answer) {
      answer(
          new Registration(
              request.getVersion(), request.getResourceName(), request.getEndpoint(), false, false),
          PluginApi::isAlpha,
          answer,
          dev.patchbay.proto.deviceplugin.v1alpha.Empty.getDefaultInstance());
    }
  }
}
