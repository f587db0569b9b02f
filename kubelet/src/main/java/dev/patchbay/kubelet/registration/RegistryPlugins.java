package dev.patchbay.kubelet.registration;

import dev.patchbay.kubelet.pluginwatcher.PluginHandler;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/// Takes the device plugins that a [dev.patchbay.kubelet.pluginwatcher.PluginWatcher] found. The
/// name of such a plugin is its resource.
public final class RegistryPlugins implements PluginHandler {
  private static final String VERSION = PluginApi.V1BETA1.version();

  private final PluginConnector connector;

  /// The oldest first: several sockets may name the same plugin.
  private final Map<Key, List<PluginConnection>> registered = new ConcurrentHashMap<>();

  private record Key(String name, Path endpoint) {}

  /// @param connector what connects to plugins and tells of them
  public RegistryPlugins(PluginConnector connector) {
    this.connector = connector;
  }

  @Override
  public void validate(String name, Path endpoint, List<String> versions) throws IOException {
    if (!versions.contains(VERSION))
      throw new IOException(
          "manager version, %s, is not among plugin supported versions [%s]"
              .formatted(VERSION, String.join(" ", versions)));
    if (ResourceName.problemOf(name).isPresent())
      throw new IOException(
          "invalid name of device plugin socket: the ResourceName \"%s\" is invalid"
              .formatted(name));
  }

  @Override
  public void register(String name, Path endpoint, List<String> versions)
      throws IOException, InterruptedException {
    if (!endpoint.isAbsolute())
      throw new IOException("the endpoint \"" + endpoint + "\" is not absolute");
    PluginConnection connection =
        connector.connect(ResourceName.of(name), endpoint, PluginApi.V1BETA1);
    registered.merge(
        new Key(name, endpoint),
        List.of(connection),
        (before, more) -> Stream.concat(before.stream(), more.stream()).toList());
  }

  @Override
  public void deregister(String name, Path endpoint) {
    var key = new Key(name, endpoint);
    List<PluginConnection> leaving = new ArrayList<>();
    registered.computeIfPresent(
        key,
        (_, connections) -> {
          leaving.addAll(connections.stream().limit(1).toList());
          return connections.stream().skip(1).toList();
        });
    registered.remove(key, List.of());
    leaving.forEach(PluginConnection::close);
  }
}
