package dev.patchbay.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The configuration file of a real kubelet, as a machine wants it that is no node of its own: any
/// version of control groups, swap, no quality-of-service groups, no firewall rules.
final class KubeletFile {
  static final String RUNTIME = "unix:///run/containerd/containerd.sock";

  private KubeletFile() {}

  static Path of(PrivatePlace place) {
    return place.dir().resolve("kubelet.yaml");
  }

  /// Writes it.
  ///
  /// @param more lines to add to what all kubelets of the tests have
  static void write(PrivatePlace place, String more) throws IOException {
    Files.createDirectories(place.dir().resolve("lib/kubelet"));
    Files.writeString(
        of(place),
        """
        apiVersion: kubelet.config.k8s.io/v1beta1
        kind: KubeletConfiguration
        volumePluginDir: /var/lib/kubelet/volume-plugins
        failSwapOn: false
        cgroupDriver: cgroupfs
        cgroupRoot: %s
        cgroupsPerQOS: false
        enforceNodeAllocatable: []
        makeIPTablesUtilChains: false
        authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
        authorization: {mode: AlwaysAllow}
        evictionHard: {memory.available: 1Mi}
        """
                .formatted(place.controlGroup())
            + KubernetesVersion.current().configuration()
            + more);
  }
}
