package dev.patchbay.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// What a container gets so that it can use its devices: the answer to Allocate for one container.
///
/// @param env environment variables by name
/// @param deviceNodes device nodes; no container path twice
/// @param mounts files and directories; no container path twice
/// @param annotations container annotations for the runtime
/// @param cdiDevices fully qualified CDI names, `vendor.example/class=name`; none twice
public record ContainerEdits(
    Map<String, String> env,
    List<DeviceNode> deviceNodes,
    List<Mount> mounts,
    Map<String, String> annotations,
    List<String> cdiDevices) {
  /// Nothing at all.
  public static final ContainerEdits NONE =
      new ContainerEdits(Map.of(), List.of(), List.of(), Map.of(), List.of());

  public ContainerEdits {
    env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
    deviceNodes = withoutRepeats(deviceNodes, DeviceNode::containerPath);
    mounts = withoutRepeats(mounts, Mount::containerPath);
    annotations = Collections.unmodifiableMap(new LinkedHashMap<>(annotations));
    cdiDevices = List.copyOf(new LinkedHashSet<>(cdiDevices));
  }

  /// One device node under the path that it has on the host.
  ///
  /// @param permissions see [DeviceNode#permissions]
  public static ContainerEdits ofNode(String path, String permissions) {
    return NONE.and(new DeviceNode(path, path, permissions));
  }

  /// One environment variable.
  public static ContainerEdits ofEnv(String name, String value) {
    return new ContainerEdits(Map.of(name, value), List.of(), List.of(), Map.of(), List.of());
  }

  /// One CDI device.
  public static ContainerEdits ofCdi(String qualifiedName) {
    return new ContainerEdits(Map.of(), List.of(), List.of(), Map.of(), List.of(qualifiedName));
  }

  /// These edits and one device node more.
  public ContainerEdits and(DeviceNode node) {
    return and(new ContainerEdits(Map.of(), List.of(node), List.of(), Map.of(), List.of()));
  }

  /// These edits and one mount more.
  public ContainerEdits and(Mount mount) {
    return and(new ContainerEdits(Map.of(), List.of(), List.of(mount), Map.of(), List.of()));
  }

  /// Both edits together. Where both name the same variable, annotation or container path, this
  /// one's stays, as the kubelet does when it merges the answers of several plugins.
  public ContainerEdits and(ContainerEdits other) {
    return new ContainerEdits(
        joined(env, other.env),
        joined(deviceNodes, other.deviceNodes),
        joined(mounts, other.mounts),
        joined(annotations, other.annotations),
        joined(cdiDevices, other.cdiDevices));
  }

  private static <T> List<T> joined(List<T> first, List<T> second) {
    List<T> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }

  private static Map<String, String> joined(Map<String, String> first, Map<String, String> second) {
    Map<String, String> all = new LinkedHashMap<>(first);
    second.forEach(all::putIfAbsent);
    return all;
  }

  private static <T> List<T> withoutRepeats(List<T> items, Function<T, String> key) {
    Map<String, T> first = new LinkedHashMap<>();
    items.forEach(item -> first.putIfAbsent(key.apply(item), item));
    return List.copyOf(first.values());
  }

  /// A device node.
  ///
  /// @param hostPath absolute path on the host; a symbolic link has to be resolved, since runtimes
  ///   do not
  /// @param containerPath absolute path in the container
  /// @param permissions one or more of `r`, `w` and `m` (mknod), for the device cgroup
  public record DeviceNode(String hostPath, String containerPath, String permissions) {
    public DeviceNode {
      if (!permissions.matches("[rwm]{1,3}"))
        throw new IllegalArgumentException(
            "device node "
                + hostPath
                + " has the permissions \""
                + permissions
                + "\"; needed are some of r, w, m");
    }
  }

  /// A bind mount.
  ///
  /// @param hostPath absolute path on the host
  /// @param containerPath absolute path in the container
  /// @param readOnly whether the container may not write to it
  public record Mount(String hostPath, String containerPath, boolean readOnly) {}
}
