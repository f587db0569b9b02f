package dev.patchbay.agent.config;

import dev.patchbay.drivers.HealthCheck;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.Group;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.IdScheme;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.NodeResource;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathSpec;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathType;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.UsbSpec;
import dev.patchbay.drivers.kubevirt.KubevirtConfig;
import dev.patchbay.drivers.kubevirt.KubevirtConfig.Preset;
import dev.patchbay.model.ResourceName;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/// Reads the sections of the driver families, `drivers.*`.
final class DriverSections {
  /// Every family off.
  static final DriversConfig NONE = new DriversConfig(Optional.empty(), Optional.empty());

  private static final int MAX_SHARES = 10_000;
  private static final SequencedMap<String, HealthCheck> HEALTH_CHECKS =
      Words.of("exists", HealthCheck.EXISTS, "open", HealthCheck.OPEN);
  private static final SequencedMap<String, IdScheme> ID_SCHEMES =
      Words.of("stable", IdScheme.STABLE, "compat", IdScheme.COMPAT);
  private static final SequencedMap<String, PathType> PATH_TYPES =
      Words.of("device", PathType.DEVICE, "mount", PathType.MOUNT);

  private DriverSections() {}

  static Optional<DriversConfig> read(Section section) {
    Optional<DeviceNodeConfig> deviceNode = section.section("device-node", DriverSections::nodes);
    Optional<KubevirtConfig> kubevirt = section.section("kubevirt", DriverSections::kubevirt);
    return section.end(() -> {
      deviceNode.ifPresent(nodes -> kubevirt.ifPresent(virt -> requireApart(nodes, virt)));
      return new DriversConfig(deviceNode, kubevirt);
    });
  }

  private static void requireApart(DeviceNodeConfig nodes, KubevirtConfig kubevirt) {
    for (NodeResource resource : nodes.resources()) {
      String name = nodes.domain() + "/" + resource.name();
      for (Preset preset : kubevirt.presets())
        if (name.equals("devices.kubevirt.io/" + preset.text()))
          throw new IllegalArgumentException(
              "resource " + name + " is offered by device-node and by kubevirt; needed is one");
    }
  }

  private static Optional<KubevirtConfig> kubevirt(Section section) {
    KubevirtConfig usual = KubevirtConfig.DEFAULTS;
    SequencedMap<String, Preset> words = new LinkedHashMap<>();
    for (Preset preset : Preset.values()) words.put(preset.text(), preset);
    int maxDevices = section.number("max-devices", usual.maxDevices(), 1, MAX_SHARES);
    Set<Preset> presets =
        section.choices("presets", words).<Set<Preset>>map(HashSet::new).orElse(usual.presets());
    HealthCheck check = section.choice("health-check", HEALTH_CHECKS, usual.healthCheck());
    return section.end(() -> new KubevirtConfig(maxDevices, presets, check));
  }

  private static Optional<DeviceNodeConfig> nodes(Section section) {
    String domain = section.text("domain").orElse("patchbay.dev");
    IdScheme scheme = section.choice("id-scheme", ID_SCHEMES, IdScheme.STABLE);
    if (!section.has("devices")) section.missing("devices");
    Set<String> names = new HashSet<>();
    List<NodeResource> resources =
        section.sections("devices", device -> resource(device, domain, names));
    if (section.has("devices") && resources.isEmpty() && names.isEmpty())
      section.problem("devices", "needed is a list of at least one resource");
    return section.end(() -> new DeviceNodeConfig(domain, scheme, resources));
  }

  private static Optional<NodeResource> resource(
      Section section, String domain, Set<String> names) {
    Optional<String> name = section.requiredText("name");
    name.ifPresent(text -> {
      ResourceName.problemOf(domain + "/" + text)
          .ifPresent(problem -> section.problem("name", problem));
      if (!names.add(text))
        section.problem(
            "name", "\"" + text + "\" is given twice; put both under one name's groups");
    });
    if (!section.has("groups")) section.missing("groups");
    List<Group> groups = section.sections("groups", DriverSections::group);
    return section.end(() -> new NodeResource(name.orElseThrow(), groups));
  }

  private static Optional<Group> group(Section section) {
    int count = section.number("count", 1, 1, MAX_SHARES);
    List<PathSpec> paths = section.sections("paths", DriverSections::path);
    List<UsbSpec> usb = section.sections("usb", DriverSections::usb);
    HealthCheck check = section.choice("health-check", HEALTH_CHECKS, HealthCheck.EXISTS);
    return section.end(() -> new Group(count, paths, usb, check));
  }

  private static Optional<PathSpec> path(Section section) {
    Optional<String> path = section.requiredText("path");
    String mountPath = section.text("mount-path").orElse("");
    PathType type = section.choice("type", PATH_TYPES, PathType.DEVICE);
    if (type == PathType.MOUNT && section.has("permissions"))
      section.problem("permissions", "are for devices; a mount has read-only");
    if (type == PathType.DEVICE && section.has("read-only"))
      section.problem("read-only", "is for mounts; a device has permissions");
    String permissions = section.text("permissions").orElse("mrw");
    boolean readOnly = section.flag("read-only", false);
    int limit = section.number("limit", 1, 1, MAX_SHARES);
    boolean optional = section.flag("optional", false);
    return section.end(() ->
        new PathSpec(path.orElseThrow(), mountPath, type, permissions, readOnly, limit, optional));
  }

  private static Optional<UsbSpec> usb(Section section) {
    Optional<Integer> vendor = section.hex16("vendor");
    Optional<Integer> product = section.hex16("product");
    String serial = section.text("serial").orElse("");
    return section.end(() -> new UsbSpec(vendor.orElseThrow(), product.orElseThrow(), serial));
  }
}
