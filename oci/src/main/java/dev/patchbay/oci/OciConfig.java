package dev.patchbay.oci;

import dev.patchbay.cdi.CdiEdits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;

/// The content of `config.json`. Reads the granted nodes of this machine, changes nothing.
final class OciConfig {
  /// Docker's set; with `CAP_MKNOD`, so that a container can make a node and still not open it.
  private static final List<String> CAPABILITIES =
      List.of(
          "CAP_AUDIT_WRITE",
          "CAP_CHOWN",
          "CAP_DAC_OVERRIDE",
          "CAP_FOWNER",
          "CAP_FSETID",
          "CAP_KILL",
          "CAP_MKNOD",
          "CAP_NET_BIND_SERVICE",
          "CAP_NET_RAW",
          "CAP_SETFCAP",
          "CAP_SETGID",
          "CAP_SETPCAP",
          "CAP_SETUID",
          "CAP_SYS_CHROOT");

  private static final List<String> MASKED =
      List.of(
          "/proc/acpi",
          "/proc/asound",
          "/proc/kcore",
          "/proc/keys",
          "/proc/latency_stats",
          "/proc/sched_debug",
          "/proc/scsi",
          "/proc/timer_list",
          "/proc/timer_stats",
          "/sys/firmware");

  private static final List<String> READ_ONLY =
      List.of("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger");

  /// The stand-in for the pause image: ends at once when it is asked to.
  private static final List<String> WAIT_FOR_THE_END =
      List.of("/bin/sh", "-c", "trap 'exit 0' TERM INT; sleep infinity & wait");

  private static final String DEFAULT_PATH =
      "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  private OciConfig() {}

  /// @param rootPath the root file system, absolute or relative to the bundle
  /// @throws IOException when a granted node is not there; the message names it
  static Map<String, Object> of(BundleSpec spec, String rootPath) throws IOException {
    List<GrantedNode> granted = GrantedNode.of(spec.edits(), spec.cdi());
    SequencedMap<String, Object> config = new LinkedHashMap<>();
    config.put("ociVersion", "1.0.2");
    config.put("process", process(spec));
    config.put("root", map("path", rootPath, "readonly", true));
    config.put("hostname", spec.hostname());
    config.put("mounts", ContainerMounts.of(spec));
    Map<String, Object> hooks = hooks(spec.cdi().hooks());
    if (!hooks.isEmpty()) config.put("hooks", hooks);
    config.put("annotations", annotations(spec));
    config.put("linux", linux(spec, granted));
    return config;
  }

  private static Map<String, Object> process(BundleSpec spec) {
    SequencedMap<String, Object> user = map("uid", 0, "gid", 0);
    if (!spec.cdi().additionalGids().isEmpty())
      user.put("additionalGids", spec.cdi().additionalGids());
    return map(
        "terminal",
        false,
        "user",
        user,
        "args",
        spec.args().isEmpty() ? WAIT_FOR_THE_END : spec.args(),
        "env",
        env(spec),
        "cwd",
        spec.cwd(),
        "capabilities",
        map("bounding", CAPABILITIES, "effective", CAPABILITIES, "permitted", CAPABILITIES));
  }

  private static List<String> env(BundleSpec spec) {
    SequencedMap<String, String> all = new LinkedHashMap<>();
    all.put("PATH", DEFAULT_PATH);
    all.put("HOSTNAME", spec.hostname());
    all.putAll(spec.edits().env());
    all.putAll(spec.env());
    for (String variable : spec.cdi().env()) {
      int equals = variable.indexOf('=');
      all.put(variable.substring(0, equals), variable.substring(equals + 1));
    }
    List<String> env = new ArrayList<>();
    all.forEach((name, value) -> env.add(name + "=" + value));
    return env;
  }

  private static Map<String, String> annotations(BundleSpec spec) {
    Map<String, String> all = new TreeMap<>(spec.edits().annotations());
    all.putAll(spec.annotations());
    return all;
  }

  private static Map<String, Object> hooks(List<CdiEdits.Hook> hooks) {
    SequencedMap<String, Object> byPoint = new LinkedHashMap<>();
    for (String point : CdiEdits.Hook.NAMES) {
      List<Map<String, Object>> list =
          hooks.stream().filter(hook -> hook.name().equals(point)).map(OciConfig::hook).toList();
      if (!list.isEmpty()) byPoint.put(point, list);
    }
    return byPoint;
  }

  private static Map<String, Object> hook(CdiEdits.Hook hook) {
    SequencedMap<String, Object> fields = map("path", hook.path());
    if (!hook.args().isEmpty()) fields.put("args", hook.args());
    if (!hook.env().isEmpty()) fields.put("env", hook.env());
    if (hook.timeoutSeconds() > 0) fields.put("timeout", hook.timeoutSeconds());
    return fields;
  }

  private static Map<String, Object> linux(BundleSpec spec, List<GrantedNode> granted) {
    SequencedMap<String, Object> linux =
        map(
            "cgroupsPath",
            spec.cgroup(),
            "namespaces",
            List.of(
                map("type", "pid"),
                map("type", "ipc"),
                map("type", "uts"),
                map("type", "mount"),
                map("type", "network")),
            "devices",
            DeviceRules.nodes(granted),
            "resources",
            map("devices", DeviceRules.cgroup(granted)),
            "maskedPaths",
            MASKED,
            "readonlyPaths",
            READ_ONLY);
    if (!spec.cdi().intelRdt().isEmpty()) linux.put("intelRdt", spec.cdi().intelRdt());
    return linux;
  }

  private static SequencedMap<String, Object> map(Object... keysAndValues) {
    SequencedMap<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2)
      map.put((String) keysAndValues[i], keysAndValues[i + 1]);
    return map;
  }
}
