package dev.patchbay.sdk;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/// Where the kubelet is and how patiently it is asked.
///
/// @param kubeletDir the kubelet's directory, `/var/lib/kubelet`; `device-plugins` and
///   `plugins_registry` lie in it
/// @param ways how plugins make themselves known; at least one
/// @param callTimeout deadline of one Register call
/// @param listTimeout how long after Register the kubelet may take to open ListAndWatch before
///   Register is tried again
/// @param firstRetry pause after the first failed attempt; doubles, with jitter, up to
///   `longestRetry`
/// @param longestRetry the longest pause between two attempts
/// @param rescanEvery how often everything is looked at without any event, as a safety net
public record PluginHostConfig(
    Path kubeletDir,
    Set<Way> ways,
    Duration callTimeout,
    Duration listTimeout,
    Duration firstRetry,
    Duration longestRetry,
    Duration rescanEvery) {
  /// The ways to register.
  public enum Way {
    /// Register on `device-plugins/kubelet.sock`.
    KUBELET_SOCK,
    /// A socket in `plugins_registry` that the kubelet's plugin watcher finds.
    PLUGINS_REGISTRY
  }

  public PluginHostConfig {
    ways = Set.copyOf(ways);
    if (ways.isEmpty()) throw new IllegalArgumentException("no way to register is chosen");
    if (firstRetry.isNegative() || firstRetry.isZero() || longestRetry.compareTo(firstRetry) < 0)
      throw new IllegalArgumentException(
          "retry pauses are from " + firstRetry + " to " + longestRetry);
  }

  /// The usual settings for a kubelet in this directory.
  public static PluginHostConfig of(Path kubeletDir) {
    return new PluginHostConfig(
        kubeletDir,
        Set.of(Way.KUBELET_SOCK),
        Duration.ofSeconds(10),
        Duration.ofSeconds(10),
        Duration.ofMillis(100),
        Duration.ofSeconds(30),
        Duration.ofSeconds(30));
  }

  /// Where `kubelet.sock` lies and the sockets of plugins.
  public Path devicePluginDir() {
    return kubeletDir.resolve("device-plugins");
  }

  /// On which plugins register.
  Path kubeletSocket() {
    return devicePluginDir().resolve("kubelet.sock");
  }

  /// Where the kubelet's plugin watcher looks for sockets.
  public Path pluginsRegistryDir() {
    return kubeletDir.resolve("plugins_registry");
  }

  /// The same settings with these ways to register.
  public PluginHostConfig with(Set<Way> newWays) {
    return new PluginHostConfig(
        kubeletDir, newWays, callTimeout, listTimeout, firstRetry, longestRetry, rescanEvery);
  }
}
