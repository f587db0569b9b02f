package dev.patchbay.cdi;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeSet;
import java.util.function.Function;

/// What is changed in a container: the `containerEdits` of a CDI spec.
///
/// @param env `NAME=value` each; of one name the last stands
/// @param deviceNodes no container path twice; the last stands
/// @param mounts no container path twice; the last stands
/// @param hooks in order
/// @param additionalGids groups of the container's process, ascending
/// @param intelRdt settings of Intel's Resource Director Technology, by the OCI specification's
///   names (`closID`, `l3CacheSchema`, `memBwSchema` as text, `enableCMT`, `enableMBM` as booleans)
public record CdiEdits(
    List<String> env,
    List<DeviceNode> deviceNodes,
    List<Mount> mounts,
    List<Hook> hooks,
    List<Integer> additionalGids,
    Map<String, Object> intelRdt) {
  /// Nothing at all.
  public static final CdiEdits NONE =
      new CdiEdits(List.of(), List.of(), List.of(), List.of(), List.of(), Map.of());

  public CdiEdits {
    env = lastOfEach(env, variable -> variable.substring(0, Math.max(variable.indexOf('='), 0)));
    deviceNodes = lastOfEach(deviceNodes, DeviceNode::path);
    mounts = lastOfEach(mounts, Mount::containerPath);
    hooks = List.copyOf(hooks);
    additionalGids = List.copyOf(new TreeSet<>(additionalGids));
    intelRdt = Map.copyOf(intelRdt);
  }

  /// These edits and then the others; where both speak of the same thing the others win.
  public CdiEdits and(CdiEdits later) {
    Map<String, Object> rdt = new LinkedHashMap<>(intelRdt);
    rdt.putAll(later.intelRdt);
    return new CdiEdits(
        joined(env, later.env),
        joined(deviceNodes, later.deviceNodes),
        joined(mounts, later.mounts),
        joined(hooks, later.hooks),
        joined(additionalGids, later.additionalGids),
        rdt);
  }

  /// Whether nothing is changed.
  public boolean isEmpty() {
    return equals(NONE);
  }

  private static <T> List<T> joined(Collection<T> first, Collection<T> second) {
    List<T> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }

  private static <T> List<T> lastOfEach(List<T> items, Function<T, String> key) {
    SequencedMap<String, T> last = new LinkedHashMap<>();
    for (T item : items) last.putLast(key.apply(item), item);
    return List.copyOf(last.values());
  }

  /// A device node. Numbers that are -1 and an empty type are those of the host's node.
  ///
  /// @param path in the container
  /// @param hostPath on the host
  /// @param type `b`, `c`, `u`, `p` or empty
  /// @param fileMode permission bits
  /// @param permissions some of `r`, `w`, `m` for the device cgroup
  public record DeviceNode(
      String path,
      String hostPath,
      String type,
      long major,
      long minor,
      int fileMode,
      String permissions,
      long uid,
      long gid) {
    /// The host's node under the same path, with all permissions.
    public static DeviceNode of(String path) {
      return new DeviceNode(path, path, "", -1, -1, -1, "rwm", -1, -1);
    }
  }

  /// A mount.
  ///
  /// @param options as for mount(8): `ro`, `nosuid`, `bind`; empty means a writable bind mount
  /// @param type file system; empty means bind
  public record Mount(String hostPath, String containerPath, List<String> options, String type) {
    public Mount {
      options = List.copyOf(options);
    }
  }

  /// A program that the runtime runs at a point of the container's life.
  ///
  /// @param name one of [#NAMES]
  /// @param args with the program's name first; may be empty
  /// @param env `NAME=value` each
  /// @param timeoutSeconds 0 for none
  public record Hook(
      String name, String path, List<String> args, List<String> env, int timeoutSeconds) {
    /// The points there are, as the OCI runtime specification names them.
    public static final List<String> NAMES =
        List.of(
            "prestart",
            "createRuntime",
            "createContainer",
            "startContainer",
            "poststart",
            "poststop");

    public Hook {
      args = List.copyOf(args);
      env = List.copyOf(env);
    }
  }
}
