package dev.patchbay.drivers.devicenode;

import dev.patchbay.drivers.Driver;
import dev.patchbay.drivers.OfferedDevice;
import dev.patchbay.drivers.Scan;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.Group;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathSpec;
import dev.patchbay.host.Glob;
import dev.patchbay.host.HostRoot;
import dev.patchbay.host.Stat;
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
            directoriesOf("/dev/bus/usb/*/*").forEach(each -> addLive(directories, each));
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

  /// The directories in which matches of a pattern can appear, whether they exist or not: for each
  /// pattern component that is not a plain name, all that lead to it, and those of the last one.
  private Set<String> directoriesOf(String pattern) {
    Set<String> directories = new HashSet<>();
    List<Glob> components =
        Stream.of(pattern.split("/", -1))
            .filter(component -> !component.isEmpty())
            .map(Glob::ofComponent)
            .toList();
    List<String> at = List.of("/");
    for (int i = 0; i < components.size(); i++) {
      boolean isLast = i == components.size() - 1;
      if (isLast || !components.get(i).isLiteral()) directories.addAll(at);
      if (!isLast) at = below(at, components.get(i));
    }
    return directories;
  }

  /// The path with this plain name below each directory, or all directories there that match.
  private List<String> below(List<String> directories, Glob component) {
    return directories.stream()
        .flatMap(directory ->
            component.isLiteral()
                ? Stream.of(child(directory, component.literal()))
                : names(directory).stream()
                    .filter(component::matches)
                    .map(name -> child(directory, name))
                    .filter(this::isDirectory))
        .toList();
  }

  private static String child(String directory, String name) {
    return directory.equals("/") ? "/" + name : directory + "/" + name;
  }

  private boolean isDirectory(String path) {
    return host.stat(path).filter(stat -> stat.kind() == Stat.Kind.DIRECTORY).isPresent();
  }

  private List<String> names(String directory) {
    try {
      return host.list(directory);
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
      for (ContainerEdits.DeviceNode node : device.edits().deviceNodes())
        place(resource, node.hostPath(), node.containerPath(), hostPaths);
      for (ContainerEdits.Mount mount : device.edits().mounts())
        place(resource, mount.hostPath(), mount.containerPath(), hostPaths);
      all = all.and(device.edits());
    }
    return all;
  }

  private static void place(
      ResourceName resource, String hostPath, String containerPath, Map<String, String> hostPaths)
      throws IOException {
    String other = hostPaths.putIfAbsent(containerPath, hostPath);
    if (other != null && !other.equals(hostPath))
      throw new IOException(
          "cannot give %s and %s of %s to one container: both would be %s; end mount-path with a slash"
              .formatted(other, hostPath, resource, containerPath));
  }
}
