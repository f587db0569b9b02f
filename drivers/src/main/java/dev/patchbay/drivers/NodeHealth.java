package dev.patchbay.drivers;

import dev.patchbay.host.HostRoot;
import dev.patchbay.host.OpenResult;
import dev.patchbay.host.Stat;
import dev.patchbay.model.Health;
import java.util.Optional;

/// The health of a device node: gone, of the wrong type, not openable, or well.
public final class NodeHealth {
  private NodeHealth() {}

  /// Looks at the node now. That somebody else has the device open, or that this process may not
  /// open it, is no sign of a fault.
  ///
  /// @param path may be a symbolic link to a node, or a directory of nodes
  public static Health of(HostRoot host, String path, HealthCheck check) {
    Optional<Stat> stat = host.stat(path);
    if (stat.isEmpty())
      return Health.unhealthy(
          host.lstat(path).isPresent()
              ? path + " is a link that leads nowhere"
              : "node " + path + " is gone");
    if (stat.get().kind() == Stat.Kind.DIRECTORY) return Health.healthy();
    if (!stat.get().isDevice())
      return Health.unhealthy(path + " is " + stat.get().kind() + "; needed is a device node");
    return check == HealthCheck.OPEN ? opened(path, host.tryOpen(path)) : Health.healthy();
  }

  private static Health opened(String path, OpenResult result) {
    return switch (result) {
      case OpenResult.Opened _, OpenResult.Busy _, OpenResult.NotPermitted _ -> Health.healthy();
      case OpenResult.Failed failed ->
          Health.unhealthy(path + " cannot be opened: " + failed.why());
      case OpenResult.TimedOut _ ->
          Health.unhealthy(path + " cannot be opened: the driver does not answer");
    };
  }
}
