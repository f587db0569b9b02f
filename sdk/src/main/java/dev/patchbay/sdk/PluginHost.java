package dev.patchbay.sdk;

import dev.patchbay.model.ResourceName;

/// Shows device plugins to the kubelet of this node: one per process, with one watch on the
/// kubelet's directory and one set of threads for all its plugins.
///
/// ```java
/// try (var host = PluginHost.start(PluginHostConfig.of(Path.of("/var/lib/kubelet")))) {
///   host.serve(ResourceName.of("example.com/fuse"), new FusePlugin());
///   host.awaitShutdown();
/// }
/// ```
public final class PluginHost implements AutoCloseable {
  private PluginHost() {}

  /// Starts a host without plugins. Never fails because of a missing kubelet.
  public static PluginHost start(PluginHostConfig config) {
    throw new UnsupportedOperationException();
  }

  /// Serves a plugin and keeps it registered until it or this host is closed. Returns at once.
  ///
  /// @throws IllegalStateException when the resource is served already, or this host is closed
  public ServedPlugin serve(ResourceName resource, DevicePlugin plugin) {
    throw new UnsupportedOperationException();
  }

  /// Waits until the process is asked to end (SIGTERM, SIGINT) or this host is closed; plugins are
  /// withdrawn then.
  public void awaitShutdown() throws InterruptedException {
    throw new UnsupportedOperationException();
  }

  /// Withdraws all plugins: streams end, sockets are removed.
  @Override
  public void close() {}
}
