package dev.patchbay.kubelet.pluginwatcher;

import java.nio.file.Path;
import java.util.SortedSet;

/// The sockets that a plugin watcher knows, which is what the gauge `plugin_manager_total_plugins`
/// counts: one for each socket and state.
///
/// @param desired sockets that lie in the registry (`desired_state_of_world`)
/// @param actual sockets whose plugins are registered or about to be (`actual_state_of_world`)
public record WatchedPlugins(SortedSet<Path> desired, SortedSet<Path> actual) {}
