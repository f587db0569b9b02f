package dev.patchbay.sdk;

import dev.patchbay.model.ResourceName;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixServer;
import io.grpc.BindableService;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A plugin's socket and what is served on it.
final class Endpoint implements AutoCloseable {
  private final UnixServer server;
  private final ListStreams streams;

  private Endpoint(UnixServer server, ListStreams streams) {
    this.server = server;
    this.streams = streams;
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
    services.add(new PluginService(resource, plugin, streams));
    return new Endpoint(transport.serve(socket, services), streams);
  }

  Path socket() {
    return server.socket();
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
