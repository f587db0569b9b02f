package dev.patchbay.interop;

import static dev.patchbay.interop.RealNode.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// containerd with runc in a [PrivatePlace]; pods that ask for a network have one of their own
/// node.
final class ContainerRuntime {
  private ContainerRuntime() {}

  /// Starts it and waits until it has the image that all pods of the tests use.
  static Daemon start(PrivatePlace place) throws IOException, InterruptedException {
    Path dir = place.dir();
    Path networks = Files.createDirectories(dir.resolve("networks"));
    Files.writeString(
        networks.resolve("10-ptp.conflist"),
        """
        {"cniVersion": "1.0.0", "name": "pods", "plugins": [{"type": "ptp", "ipMasq": false, "ipam":
          {"type": "host-local", "dataDir": "%s", "ranges": [[{"subnet": "10.91.0.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
        """
            .formatted(dir.resolve("addresses")));
    Path config =
        Files.writeString(
            dir.resolve("containerd.toml"),
            """
            version = 3
            # It would make a directory in /opt.
            disabled_plugins = ['io.containerd.internal.v1.opt']
            [plugins.'io.containerd.cri.v1.images']
              snapshotter = 'native'
              [plugins.'io.containerd.cri.v1.images'.pinned_images]
                sandbox = 'localhost/patchbay/interop:1'
            [plugins.'io.containerd.cri.v1.runtime']
              restrict_oom_score_adj = true
              [plugins.'io.containerd.cri.v1.runtime'.cni]
                bin_dirs = ['/usr/lib/cni', '/opt/cni/bin']
                conf_dir = '%s'
            """
                .formatted(networks));
    Daemon containerd =
        place.start("containerd", PrivatePlace.part("containerd"), "--config", config.toString());
    await("containerd; " + containerd.log())
        .ignoreExceptions()
        .until(() -> place.run(PrivatePlace.part("ctr"), "version").contains("Server:"));
    importImage(place, Path.of(PrivatePlace.part("image")));
    return containerd;
  }

  /// Gives it the images of an archive.
  static void importImage(PrivatePlace place, Path archive)
      throws IOException, InterruptedException {
    place.run(
        PrivatePlace.part("ctr"),
        "-n",
        "k8s.io",
        "images",
        "import",
        "--local",
        archive.toString());
  }
}
