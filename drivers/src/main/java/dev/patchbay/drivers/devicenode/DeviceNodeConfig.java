package dev.patchbay.drivers.devicenode;

import dev.patchbay.drivers.HealthCheck;
import dev.patchbay.host.Glob;
import dev.patchbay.model.ResourceName;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Settings of the config section `drivers.device-node`.
///
/// @param domain domain of all its resources
/// @param idScheme how device ids are made
/// @param resources the resources, one or more, no name twice
public record DeviceNodeConfig(String domain, IdScheme idScheme, List<NodeResource> resources) {
  /// How device ids are made.
  public enum IdScheme {
    /// Readable: `ttyUSB0`, `usb-1050-0407-0012345678`.
    STABLE,
    /// generic-device-plugin's: SHA-1 of the paths, for pods that hold such ids already.
    COMPAT
  }

  public DeviceNodeConfig {
    resources = List.copyOf(resources);
    Set<String> names = new HashSet<>();
    for (NodeResource resource : resources) {
      var problem = ResourceName.problemOf(domain + "/" + resource.name());
      if (problem.isPresent()) throw new IllegalArgumentException(problem.get());
      if (!names.add(resource.name()))
        throw new IllegalArgumentException(
            "resource %s/%s is there twice; needed is one with all its groups"
                .formatted(domain, resource.name()));
    }
  }

  /// One resource: its devices come from all its groups.
  ///
  /// @param name the part after the slash
  public record NodeResource(String name, List<Group> groups) {
    public NodeResource {
      groups = List.copyOf(groups);
      if (groups.isEmpty())
        throw new IllegalArgumentException("resource " + name + " has no groups");
    }
  }

  /// One way to make devices: of one match of each path, or of one USB device for each selector.
  ///
  /// @param count how often each device is offered; at least 1
  /// @param paths empty for a USB group
  /// @param usb empty for a group of paths
  public record Group(int count, List<PathSpec> paths, List<UsbSpec> usb, HealthCheck healthCheck) {
    public Group {
      paths = List.copyOf(paths);
      usb = List.copyOf(usb);
      if (count < 1 || count > 10_000)
        throw new IllegalArgumentException("count is " + count + "; needed is 1 to 10000");
      if (paths.isEmpty() == usb.isEmpty())
        throw new IllegalArgumentException(
            "a group has either paths or usb, and at least one of them");
    }
  }

  /// What a path is for the container.
  public enum PathType {
    DEVICE,
    MOUNT
  }

  /// A pattern of paths.
  ///
  /// @param path absolute, in the syntax of [Glob]
  /// @param mountPath where it is in the container: empty for the path itself, ending in `/` for a
  ///   directory in which it keeps its name, else a fixed path
  /// @param permissions some of `r`, `w`, `m`; for devices
  /// @param readOnly for mounts
  /// @param limit how many devices of the group may share one match; at least 1
  /// @param optional whether a device is complete without it
  public record PathSpec(
      String path,
      String mountPath,
      PathType type,
      String permissions,
      boolean readOnly,
      int limit,
      boolean optional) {
    public PathSpec {
      requireAbsolute("path", path);
      for (String component : path.split("/", -1)) {
        var _ = Glob.ofComponent(component);
      }
      if (!mountPath.isEmpty()) requireAbsolute("mount-path", mountPath);
      if (!permissions.matches("[rwm]{1,3}"))
        throw new IllegalArgumentException(
            "permissions are \"" + permissions + "\"; needed are some of r, w, m");
      if (limit < 1)
        throw new IllegalArgumentException("limit is " + limit + "; at least 1 is needed");
    }

    private static void requireAbsolute(String key, String path) {
      if (!path.startsWith("/"))
        throw new IllegalArgumentException(key + " \"" + path + "\" is not absolute");
      if (path.chars().anyMatch(Character::isISOControl))
        throw new IllegalArgumentException(
            key + " \"" + path.replaceAll("\\p{Cntrl}", "?") + "\" has a control character");
    }

    /// A device with all rights, under its own path.
    public static PathSpec of(String path) {
      return new PathSpec(path, "", PathType.DEVICE, "mrw", false, 1, false);
    }

    /// The path in the container of this match.
    String containerPath(String match) {
      if (mountPath.isEmpty()) return match;
      return mountPath.endsWith("/")
          ? mountPath + match.substring(match.lastIndexOf('/') + 1)
          : mountPath;
    }
  }

  /// A USB device.
  ///
  /// @param vendor 16 bits
  /// @param product 16 bits
  /// @param serial exact; empty for any
  public record UsbSpec(int vendor, int product, String serial) {
    public UsbSpec {
      if (vendor < 0 || vendor > 0xffff || product < 0 || product > 0xffff)
        throw new IllegalArgumentException("vendor and product have 16 bits");
    }
  }
}
