package dev.patchbay.kubelet.registration;

import dev.patchbay.model.ResourceName;
import dev.patchbay.rpc.Transport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/// Connects to plugins, whichever way they registered, and tells their owner of them. Thread-safe.
public final class PluginConnector implements AutoCloseable {
  private final Transport transport = Transport.open();
  private final Timeouts timeouts;
  private final Plugins plugins;
  private final PluginObserver observer;
  private final AtomicLong connections = new AtomicLong();

  /// Who is told of plugins.
  public interface Plugins extends PluginConnection.Listener {
    /// A plugin was connected; its list is read from now on.
    void connected(PluginConnection connection);
  }

  /// Makes a connector; nothing is touched before a plugin comes.
  public PluginConnector(Timeouts timeouts, Plugins plugins, PluginObserver observer) {
    this.timeouts = timeouts;
    this.plugins = plugins;
    this.observer = observer;
  }

  /// Connects to a plugin, asks for its options and begins to read its list. When the call in whose
  /// context this is done ends before the plugin has told its options, it is not connected.
  ///
  /// @throws IOException why it cannot be reached, in the kubelet's words
  PluginConnection connect(ResourceName resource, Path socket, PluginApi api)
      throws IOException, InterruptedException {
    PluginConnection connection =
        PluginConnection.open(
            transport,
            new PluginConnection.Plugin(connections.incrementAndGet(), resource, socket, api),
            timeouts,
            observer);
    plugins.connected(connection);
    observer.connected(connection, socket);
    connection.watch(plugins);
    return connection;
  }

  Transport transport() {
    return transport;
  }

  PluginObserver observer() {
    return observer;
  }

  /// Ends the threads. Connections to plugins are their owner's to close, before.
  @Override
  public void close() {
    transport.close();
  }
}
