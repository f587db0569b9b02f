package dev.patchbay.kubelet;

import java.nio.file.Path;
import java.time.Duration;

/// Settings of the device manager.
///
/// @param devicePluginDir absolute; `kubelet.sock` and the checkpoint lie in it
/// @param endpointGrace how long a resource keeps its capacity after its plugin went away
/// @param dialTimeout how long a connection to a plugin may take
/// @param allocateTimeout deadline of Allocate and GetPreferredAllocation; upstream has none, so
///   that a plugin that hangs holds up every admission
/// @param preStartTimeout deadline of PreStartContainer
public record DeviceManagerConfig(
    Path devicePluginDir,
    Duration endpointGrace,
    Duration dialTimeout,
    Duration allocateTimeout,
    Duration preStartTimeout) {
  /// The usual settings for this directory.
  public static DeviceManagerConfig of(Path devicePluginDir) {
    return new DeviceManagerConfig(
        devicePluginDir,
        Duration.ofMinutes(5),
        Duration.ofSeconds(10),
        Duration.ofMinutes(2),
        Duration.ofSeconds(30));
  }
}
