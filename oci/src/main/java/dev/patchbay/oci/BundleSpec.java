package dev.patchbay.oci;

import dev.patchbay.cdi.CdiEdits;
import dev.patchbay.model.ContainerEdits;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/// What is to run in a container.
///
/// @param args program and arguments; empty for a program that waits for its end, as the pause
///   image's does
/// @param env of the process, in order; wins over a variable of `edits`, and loses against one of
///   `cdi`, as with a kubelet and its runtime
/// @param cwd absolute path in the container
/// @param hostname name of the machine that the container sees
/// @param root where its files come from
/// @param edits devices, mounts and variables that were granted; its CDI names are not looked at
///   here
/// @param cdi what these names were resolved to
/// @param annotations for the runtime and its hooks
/// @param cgroup absolute path below the root of each cgroup hierarchy
public record BundleSpec(
    List<String> args,
    SequencedMap<String, String> env,
    String cwd,
    String hostname,
    Root root,
    ContainerEdits edits,
    CdiEdits cdi,
    Map<String, String> annotations,
    String cgroup) {
  public BundleSpec {
    args = List.copyOf(args);
    env = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(env));
    annotations = Map.copyOf(annotations);
    if (!cwd.startsWith("/"))
      throw new IllegalArgumentException("working directory is relative: " + cwd);
    if (!cgroup.startsWith("/") || cgroup.contains(".."))
      throw new IllegalArgumentException("cgroup path has to be absolute: " + cgroup);
  }

  /// A container with the host's programs and nothing granted.
  public static BundleSpec of(String cgroup, List<String> args) {
    return new BundleSpec(
        args,
        new LinkedHashMap<>(),
        "/",
        "patchbay",
        new Root.HostPrograms(),
        ContainerEdits.NONE,
        CdiEdits.NONE,
        Map.of(),
        cgroup);
  }

  /// The same container with these edits.
  public BundleSpec with(ContainerEdits granted, CdiEdits resolved) {
    return new BundleSpec(args, env, cwd, hostname, root, granted, resolved, annotations, cgroup);
  }

  /// The same container in another cgroup.
  public BundleSpec withCgroup(String path) {
    return new BundleSpec(args, env, cwd, hostname, root, edits, cdi, annotations, path);
  }

  /// Where the container's files come from.
  public sealed interface Root {
    /// `/usr`, `/bin` and their like of this machine, read-only, and the few files of `/etc` that
    /// programs cannot do without.
    record HostPrograms() implements Root {}

    /// A root file system that somebody unpacked; the container cannot write to it. The runtime
    /// makes missing mount points such as `/proc` in it.
    record Directory(Path path) implements Root {
      public Directory {
        if (!path.isAbsolute())
          throw new IllegalArgumentException("root directory is relative: " + path);
      }
    }
  }
}
