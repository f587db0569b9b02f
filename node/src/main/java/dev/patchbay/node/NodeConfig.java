package dev.patchbay.node;

import dev.patchbay.cdi.CdiRegistry;
import dev.patchbay.kubelet.KubeletSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// Settings of a node.
///
/// @param directory absolute; everything that the node writes lies in it
/// @param manifests absolute; pods' manifests lie in it, files that begin with a dot are left out
/// @param cdiDirectories where CDI names are resolved, later ones win
/// @param stopGrace how long a container that is taken away has to end by itself
/// @param kubelet settings of the kubelet side
public record NodeConfig(
    Path directory,
    Path manifests,
    List<Path> cdiDirectories,
    Duration stopGrace,
    KubeletSettings kubelet) {
  public NodeConfig {
    cdiDirectories = List.copyOf(cdiDirectories);
    for (Path path : List.of(directory, manifests))
      if (!path.isAbsolute()) throw new IllegalArgumentException("path is relative: " + path);
    if (stopGrace.isNegative())
      throw new IllegalArgumentException("stop-grace is negative: " + stopGrace);
  }

  /// The usual settings for this directory.
  public static NodeConfig of(Path directory) {
    return new NodeConfig(
        directory,
        directory.resolve("manifests"),
        CdiRegistry.STANDARD_DIRECTORIES,
        Duration.ofSeconds(2),
        KubeletSettings.of(directory.resolve("device-plugins")));
  }

  /// The same with the manifests elsewhere.
  public NodeConfig withManifests(Path elsewhere) {
    return new NodeConfig(directory, elsewhere, cdiDirectories, stopGrace, kubelet);
  }

  /// The same with other CDI directories.
  public NodeConfig withCdiDirectories(List<Path> others) {
    return new NodeConfig(directory, manifests, others, stopGrace, kubelet);
  }

  /// The same with other settings of the kubelet side.
  public NodeConfig withKubelet(KubeletSettings other) {
    return new NodeConfig(directory, manifests, cdiDirectories, stopGrace, other);
  }

  Path pods() {
    return directory.resolve("pods");
  }
}
