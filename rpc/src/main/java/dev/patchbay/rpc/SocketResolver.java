package dev.patchbay.rpc;

import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.StatusOr;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/// From a target back to the socket file that it names. A channel that gRPC makes from an address
/// goes by way of a URI, too, in which its own code cannot put characters outside ASCII.
final class SocketResolver extends NameResolver {
  private static final String SCHEME = "patchbay-socket";

  private final Path socket;

  private SocketResolver(Path socket) {
    this.socket = socket;
  }

  /// The target that this resolver resolves to the socket.
  static String target(Path socket) {
    String encoded = URLEncoder.encode(socket.toString(), StandardCharsets.UTF_8);
    return SCHEME + ":///" + encoded.replace("+", "%20");
  }

  @Override
  public String getServiceAuthority() {
    return "localhost";
  }

  @Override
  public void start(Listener2 listener) {
    var address = new EquivalentAddressGroup(UnixDomainSocketAddress.of(socket));
    listener.onResult(
        ResolutionResult.newBuilder()
            .setAddressesOrError(StatusOr.fromValue(List.of(address)))
            .build());
  }

  @Override
  public void shutdown() {}

  /// Makes resolvers for gRPC.
  static final class Provider extends NameResolverProvider {
    @Override
    public NameResolver newNameResolver(URI target, Args args) {
      return new SocketResolver(Path.of(target.getPath().substring(1)));
    }

    @Override
    public String getDefaultScheme() {
      return SCHEME;
    }

    @Override
    protected boolean isAvailable() {
      return true;
    }

    /// Below gRPC's own, whose scheme stays the default of other channels in this process.
    @Override
    protected int priority() {
      return 1;
    }

    @Override
    public Collection<Class<? extends SocketAddress>> getProducedSocketAddressTypes() {
      return Set.of(UnixDomainSocketAddress.class);
    }
  }
}
