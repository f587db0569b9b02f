package dev.patchbay.kubelet.pluginwatcher;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Takes the plugins of one kind that a [PluginWatcher] found. Methods are called from several
/// threads at once, for one socket from one thread at a time, and may block.
public interface PluginHandler {
  /// Whether such a plugin may be registered at all.
  ///
  /// @param name what the plugin calls itself, unchecked
  /// @param endpoint the socket that serves the plugin's own API, unchecked
  /// @param versions of its API that the plugin speaks
  /// @throws IOException why not; the text is told to the plugin
  void validate(String name, Path endpoint, List<String> versions) throws IOException;

  /// Registers a plugin that was valid.
  ///
  /// @throws IOException why it could not be; the text is told to the plugin
  void register(String name, Path endpoint, List<String> versions)
      throws IOException, InterruptedException;

  /// The plugin's socket is gone from the registry, or another one lies there. To be called for a
  /// plugin that is not registered is no error.
  void deregister(String name, Path endpoint);
}
