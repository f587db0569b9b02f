package dev.patchbay.oci;

import dev.patchbay.cdi.CdiEdits;
import dev.patchbay.model.ContainerEdits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/// The mounts of an OCI configuration: what every container has, then the host's programs if it
/// runs them, then what was granted, outer paths before inner ones.
final class ContainerMounts {
  /// Directories with programs and libraries. One that is a link, as `/bin` is on most machines, is
  /// made a link in the container by [Bundle].
  static final List<String> PROGRAMS =
      List.of("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32");

  /// What programs look up, if the host has it.
  private static final List<String> LOOKED_UP =
      List.of(
          "/etc/alternatives",
          "/etc/group",
          "/etc/ld.so.cache",
          "/etc/nsswitch.conf",
          "/etc/passwd",
          "/etc/ssl/certs");

  private ContainerMounts() {}

  static List<Map<String, Object>> of(BundleSpec spec) {
    List<Map<String, Object>> mounts = new ArrayList<>(kernel());
    if (spec.root() instanceof BundleSpec.Root.HostPrograms) mounts.addAll(programs());
    List<Map<String, Object>> granted = new ArrayList<>();
    for (ContainerEdits.Mount mount : spec.edits().mounts())
      granted.add(
          mount(
              mount.containerPath(),
              "bind",
              mount.hostPath(),
              "rbind",
              "rprivate",
              mount.readOnly() ? "ro" : "rw"));
    for (CdiEdits.Mount mount : spec.cdi().mounts()) {
      granted.removeIf(older -> mount.containerPath().equals(older.get("destination")));
      granted.add(cdi(mount));
    }
    granted.sort(
        Comparator.comparingInt(m -> Path.of((String) m.get("destination")).getNameCount()));
    mounts.addAll(granted);
    return mounts;
  }

  private static List<Map<String, Object>> kernel() {
    return List.of(
        mount("/proc", "proc", "proc", "nosuid", "noexec", "nodev"),
        mount("/dev", "tmpfs", "tmpfs", "nosuid", "strictatime", "mode=755", "size=65536k"),
        mount(
            "/dev/pts",
            "devpts",
            "devpts",
            "nosuid",
            "noexec",
            "newinstance",
            "ptmxmode=0666",
            "mode=0620"),
        mount("/dev/shm", "tmpfs", "shm", "nosuid", "noexec", "nodev", "mode=1777", "size=65536k"),
        mount("/dev/mqueue", "mqueue", "mqueue", "nosuid", "noexec", "nodev"),
        mount("/sys", "sysfs", "sysfs", "nosuid", "noexec", "nodev", "ro"));
  }

  private static List<Map<String, Object>> programs() {
    List<Map<String, Object>> mounts = new ArrayList<>();
    mounts.add(mount("/tmp", "tmpfs", "tmpfs", "nosuid", "mode=1777", "size=65536k"));
    List<String> paths = new ArrayList<>(PROGRAMS);
    paths.removeIf(path -> Files.isSymbolicLink(Path.of(path)));
    paths.addAll(LOOKED_UP);
    for (String path : paths)
      if (Files.exists(Path.of(path)))
        mounts.add(mount(path, "bind", path, "bind", "rprivate", "ro", "nosuid", "nodev"));
    return mounts;
  }

  private static Map<String, Object> cdi(CdiEdits.Mount mount) {
    List<String> options = new ArrayList<>(mount.options());
    boolean bind =
        mount.type().isEmpty() || mount.type().equals("bind") || mount.type().equals("none");
    if (bind && !options.contains("bind") && !options.contains("rbind")) options.add("rbind");
    return mount(
        mount.containerPath(),
        bind ? "bind" : mount.type(),
        mount.hostPath(),
        options.toArray(String[]::new));
  }

  private static Map<String, Object> mount(
      String destination, String type, String source, String... options) {
    SequencedMap<String, Object> mount = new LinkedHashMap<>();
    mount.put("destination", destination);
    mount.put("type", type);
    mount.put("source", source);
    mount.put("options", List.of(options));
    return mount;
  }
}
