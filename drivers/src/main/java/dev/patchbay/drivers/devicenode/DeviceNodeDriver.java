package dev.patchbay.drivers.devicenode;

import dev.patchbay.drivers.Driver;
import dev.patchbay.drivers.OfferedDevice;
import dev.patchbay.drivers.Scan;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.Group;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathSpec;
import dev.patchbay.host.Glob;
import dev.patchbay.host.HostRoot;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/// Offers any device nodes that the configuration names.
public final class DeviceNodeDriver implements Driver {
  private final HostRoot host;
  private final DeviceNodeConfig config;

  public DeviceNodeDriver(HostRoot host, DeviceNodeConfig config) {
    this.host = host;
    this.config = config;
  }

  @Override
  public String name() {
    return "device-node";
  }

  @Override
  public Scan scan() {
    return new DeviceNodeScanner(host, config).scan();
  }

  @Override
  public Set<Path> watchedDirectories() {
    Set<Path> directories = new HashSet<>();
    groups()
        .forEach(group -> {
          for (PathSpec spec : group.paths())
            directoriesOf(spec.path()).forEach(each -> addLive(directories, each));
          if (!group.usb().isEmpty()) {
            addLive(directories, "/dev/bus/usb");
            matches("/dev/bus/usb/*").forEach(each -> addLive(directories, each));
          }
        });
    return directories;
  }

  private Stream<Group> groups() {
    return config.resources().stream().flatMap(resource -> resource.groups().stream());
  }

  private void addLive(Set<Path> directories, String path) {
    host.livePath(path).ifPresent(directories::add);
  }

  /// The directories in which matches of a pattern can appear: for each pattern component that is
  /// not a plain name, all that lead to it.
  private Set<String> directoriesOf(String pattern) {
    Set<String> directories = new HashSet<>();
    String[] components = pattern.substring(1).split("/", -1);
    var prefix = new StringBuilder();
    for (int i = 0; i < components.length; i++) {
      boolean isLast = i == components.length - 1;
      if (isLast || !Glob.ofComponent(components[i]).isLiteral()) {
        boolean plain = Glob.ofComponent(prefix.toString().replace("/", "")).isLiteral();
        if (plain) directories.add(prefix.isEmpty() ? "/" : prefix.toString());
        else directories.addAll(matches(prefix.toString()));
      }
      prefix.append('/').append(components[i]);
    }
    return directories;
  }

  private List<String> matches(String pattern) {
    try {
      return host.glob(pattern);
    } catch (IOException e) {
      // The scan reports it.
      return List.of();
    }
  }

  /// All devices' edits together.
  ///
  /// @throws IOException when two devices would lie at one path of the container
  @Override
  public ContainerEdits edits(ResourceName resource, List<OfferedDevice> granted)
      throws IOException {
    Map<String, String> hostPaths = new HashMap<>();
    ContainerEdits all = ContainerEdits.NONE;
    for (OfferedDevice device : granted) {
      for (ContainerEdits.DeviceNode node : device.edits().deviceNodes()) {
        String other = hostPaths.putIfAbsent(node.containerPath(), node.hostPath());
        if (other != null && !other.equals(node.hostPath()))
          throw new IOException(
              "cannot give %s and %s of %s to one container: both would be %s; end mount-path with a slash"
                  .formatted(other, node.hostPath(), resource, node.containerPath()));
      }
      all = all.and(device.edits());
    }
    return all;
  }
}
