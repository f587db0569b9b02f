package dev.patchbay.cluster;

import dev.patchbay.host.Attribute;
import dev.patchbay.host.HostRoot;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What the node's status says of the machine.
///
/// @param machineId of `/etc/machine-id`
/// @param systemUuid of `/sys/class/dmi/id/product_uuid`; the machine's id where there is none
/// @param bootId of `/proc/sys/kernel/random/boot_id`
/// @param osImage `PRETTY_NAME` of `/etc/os-release`
/// @param architecture in Go's words: `amd64`, `arm64`
record Machine(
    String machineId,
    String systemUuid,
    String bootId,
    String kernelVersion,
    String osImage,
    String architecture) {
  private static final Pattern NAME = Pattern.compile("(?m)^PRETTY_NAME=\"?([^\"\n]*)\"?$");

  /// Reads them.
  static Machine read(HostRoot host, String architecture) {
    String machineId = text(host, "/etc/machine-id");
    String uuid = text(host, "/sys/class/dmi/id/product_uuid");
    return new Machine(
        machineId,
        uuid.isEmpty() ? machineId : uuid,
        text(host, "/proc/sys/kernel/random/boot_id"),
        text(host, "/proc/sys/kernel/osrelease"),
        first(NAME, text(host, "/etc/os-release"), "Linux"),
        goName(architecture));
  }

  private static String text(HostRoot host, String path) {
    return host.readAttribute(path) instanceof Attribute.Value value ? value.text().strip() : "";
  }

  private static String first(Pattern pattern, String text, String otherwise) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? matcher.group(1) : otherwise;
  }

  private static String goName(String architecture) {
    return Map.of("x86_64", "amd64", "aarch64", "arm64").getOrDefault(architecture, architecture);
  }
}
