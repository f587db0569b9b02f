package dev.patchbay.sdk;

import dev.patchbay.model.ResourceName;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixServer;
import io.grpc.BindableService;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A plugin's socket and what is served on it: the plugin in each version of the API, so that who
/// comes is answered in its own words.
final class Endpoint implements AutoCloseable {
  private final UnixServer server;
  private final ListStreams streams;
  private final AlphaPluginService alpha;

  private Endpoint(UnixServer server, ListStreams streams, AlphaPluginService alpha) {
    this.server = server;
    this.streams = streams;
    this.alpha = alpha;
  }

  /// Serves the plugin on this socket, and perhaps more services beside it.
  static Endpoint open(
      Transport transport,
      Path socket,
      ResourceName resource,
      DevicePlugin plugin,
      Runnable onStreamChange,
      BindableService... more)
      throws IOException {
    var streams = new ListStreams(resource, plugin.devices(), onStreamChange);
    List<BindableService> services = new ArrayList<>(List.of(more));
    var service = new PluginService(resource, plugin, streams);
    var alpha = new AlphaPluginService(service, streams);
    services.add(service);
    services.add(alpha);
    return new Endpoint(transport.serve(socket, services), streams, alpha);
  }

  Path socket() {
    return server.socket();
  }

  /// The kubelet that is asked next speaks this version of the API.
  void speak(KubeletApi api) {
    if (api != KubeletApi.V1BETA1) alpha.speak(api);
  }

  /// Whether a kubelet can still find this socket by its path.
  boolean isReachable() {
    return server.ownsSocketFile();
  }

  /// Whether a kubelet reads the list here.
  boolean isListed() {
    return streams.size() > 0;
  }

  @Override
  public void close() {
    streams.close();
    server.close();
  }
}
