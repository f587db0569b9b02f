package dev.patchbay.agent;

import dev.patchbay.agent.AgentHealth.Sign;
import dev.patchbay.sdk.PluginHostConfig;
import dev.patchbay.sdk.PluginHostConfig.Way;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Whether the directories in which the agent registers are still those of the host.
///
/// A container sees a mount of the directory that was there when it started. When the host removes
/// that one and makes another, the container keeps the old one, which has no link any more and
/// takes no file: no kubelet will ever be found there, and only a restart of the container helps.
final class KubeletDirectories {
  private KubeletDirectories() {}

  /// Something bad for each that was removed under this process; nothing for one that is not there.
  static List<Sign> removed(PluginHostConfig config) {
    List<Sign> signs = new ArrayList<>();
    for (Way way : config.ways()) {
      Path directory =
          switch (way) {
            case KUBELET_SOCK -> config.devicePluginDir();
            case PLUGINS_REGISTRY -> config.pluginsRegistryDir();
          };
      if (isRemoved(directory))
        signs.add(
            Sign.bad(
                "directory " + directory,
                "was removed from the host, and this container cannot see the one that took its place"));
    }
    return signs;
  }

  private static boolean isRemoved(Path directory) {
    try {
      return Files.getAttribute(directory, "unix:nlink") instanceof Integer links && links == 0;
    } catch (IOException e) {
      return false; // not there, or not there yet
    }
  }
}
