package dev.patchbay.kubelet.registration;

import dev.patchbay.kubelet.registration.PluginObserver.Registration;
import dev.patchbay.kubelet.wire.Excerpt;
import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.RegisterRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.RegistrationGrpc;
import dev.patchbay.rpc.UnixServer;
import io.grpc.BindableService;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
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
/// the kubelet's, with one more: the endpoint, which upstream joins to the directory unchecked, may
/// not lead out of it.
public final class RegistrationServer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.kubelet");

  private final Path directory;
  private final PluginConnector connector;
  private final Set<PluginApi> accepted;
  private final Endpoints endpoints;
  private final Withdrawal withdrawal;
  private volatile Optional<UnixServer> server = Optional.empty();

  /// What an endpoint may be.
  public enum Endpoints {
    /// A path below the directory.
    IN_THE_DIRECTORY,
    /// Whatever comes of joining it to the directory, as upstream has it.
    ANYWHERE
  }

  /// What a plugin that ends its Register call before the answer brings about.
  public enum Withdrawal {
    /// It is not registered, and is not asked for its options any more: Kubernetes 1.35 and later.
    COUNTS,
    /// Nothing: it is registered all the same.
    IS_NOT_SEEN
  }

  /// @param directory where `kubelet.sock` and the plugins' sockets lie; absolute
  /// @param accepted versions of the API that plugins may register with; at least one
  public RegistrationServer(
      Path directory,
      PluginConnector connector,
      Set<PluginApi> accepted,
      Endpoints endpoints,
      Withdrawal withdrawal) {
    if (!directory.isAbsolute())
      throw new IllegalArgumentException(
          "bad socketPath, must be an absolute path: " + directory.resolve("kubelet.sock"));
    if (accepted.isEmpty())
      throw new IllegalArgumentException("no version of the device plugin API is accepted");
    this.directory = directory;
    this.connector = connector;
    this.accepted = EnumSet.copyOf(accepted);
    this.endpoints = endpoints;
    this.withdrawal = withdrawal;
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

  /// Why no plugin can register now, in the words of the kubelet's own check; empty when plugins
  /// can, before [#start] and after [#close].
  public Optional<String> problem() {
    return server
        .flatMap(UnixServer::problem)
        .map(why ->
            "device registration error: device plugin registration gRPC server failed and no device"
                + " plugins can register: "
                + why);
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
    Path socket = socketOf(request.endpoint());
    PluginConnection connection = connect(ResourceName.of(request.resource()), socket, api);
    LOG.log(
        System.Logger.Level.INFO,
        "plugin registered resource="
            + connection.resource()
            + " endpoint="
            + request.endpoint()
            + (api.isAlpha() ? " api=" + api.version() : ""));
  }

  private String versions(Predicate<PluginApi> service) {
    return Arrays.stream(PluginApi.values())
        .filter(service)
        .filter(accepted::contains)
        .map(each -> '"' + each.version() + '"')
        .collect(Collectors.joining(" "));
  }

  /// What is called in the context of a call ends with it.
  private PluginConnection connect(ResourceName resource, Path socket, PluginApi api)
      throws IOException, InterruptedException {
    Context context =
        switch (withdrawal) {
          case COUNTS -> Context.current();
          case IS_NOT_SEEN -> Context.ROOT;
        };
    Context before = context.attach();
    try {
      return connector.connect(resource, socket, api);
    } finally {
      context.detach(before);
    }
  }

  /// The endpoint below the directory, also when it begins with a slash.
  private Path socketOf(String endpoint) throws IOException {
    try {
      Path top = directory.normalize();
      Path socket = Path.of(top + "/" + endpoint).normalize();
      if (endpoints == Endpoints.ANYWHERE) return socket;
      if (!socket.startsWith(top))
        throw new IOException("the endpoint \"%s\" leads out of %s".formatted(endpoint, top));
      if (socket.equals(top))
        throw new IOException(
            "the endpoint \"%s\" is not the name of a socket file in %s".formatted(endpoint, top));
      return socket;
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
    // Nobody is told an answer who does not wait for it any more.
    if (answer instanceof ServerCallStreamObserver<A> call) call.setOnCancelHandler(() -> {});
    try {
      connector.observer().arrived(request);
      register(request, service);
    } catch (IOException e) {
      String why = Excerpt.of(String.valueOf(e.getMessage()));
      LOG.log(
          System.Logger.Level.WARNING,
          "registration refused resource={0} endpoint={1} reason={2}",
          Excerpt.line(request.resource()),
          Excerpt.line(request.endpoint()),
          Excerpt.line(why));
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
