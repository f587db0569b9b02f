package dev.patchbay.drivers.kubevirt;

import dev.patchbay.drivers.HealthCheck;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/// Settings of the config section `drivers.kubevirt`.
///
/// @param maxDevices how many pods may share each node; 1 to 10,000
/// @param presets which nodes are offered
/// @param healthCheck how the nodes are looked at
public record KubevirtConfig(int maxDevices, Set<Preset> presets, HealthCheck healthCheck) {
  /// As KubeVirt does it, with all presets.
  public static final KubevirtConfig DEFAULTS =
      new KubevirtConfig(1000, EnumSet.allOf(Preset.class), HealthCheck.EXISTS);

  public KubevirtConfig {
    if (maxDevices < 1 || maxDevices > 10_000)
      throw new IllegalArgumentException("max-devices is " + maxDevices + "; needed is 1 to 10000");
    presets = Set.copyOf(presets);
  }

  /// A device node and its resource.
  public enum Preset {
    KVM("/dev/kvm"),
    TUN("/dev/net/tun"),
    VHOST_NET("/dev/vhost-net"),
    VHOST_VSOCK("/dev/vhost-vsock"),
    FUSE("/dev/fuse");

    private final String path;

    Preset(String path) {
      this.path = path;
    }

    /// The node on the host.
    public String path() {
      return path;
    }

    /// The name in the resource, the ids and the configuration: `vhost-net`.
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }
}
