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
  /// open it, is no sign of a fault. A directory is of the wrong type: container runtimes make one
  /// where a node was to be mounted that is not there.
  ///
  /// @param path may be a symbolic link to a node
  public static Health of(HostRoot host, String path, HealthCheck check) {
    Optional<Stat> stat = host.stat(path);
    if (stat.isEmpty()) return missing(host, path);
    if (!stat.get().isDevice())
      return Health.unhealthy(path + " is " + stat.get().kind() + "; needed is a device node");
    return check == HealthCheck.OPEN ? opened(path, host.tryOpen(path)) : Health.healthy();
  }

  /// Like [#of], for what the configuration names by a pattern: there a directory stands for all
  /// nodes in it and is well.
  public static Health ofNodeOrDirectory(HostRoot host, String path, HealthCheck check) {
    boolean isDirectory =
        host.stat(path).filter(stat -> stat.kind() == Stat.Kind.DIRECTORY).isPresent();
    return isDirectory ? Health.healthy() : of(host, path, check);
  }

  private static Health missing(HostRoot host, String path) {
    return Health.unhealthy(
        host.lstat(path).isPresent()
            ? path + " is a link that leads nowhere"
            : "node " + path + " is gone");
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
