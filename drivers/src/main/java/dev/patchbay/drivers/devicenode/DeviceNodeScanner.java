package dev.patchbay.drivers.devicenode;

import dev.patchbay.drivers.HealthCheck;
import dev.patchbay.drivers.NodeHealth;
import dev.patchbay.drivers.OfferedDevice;
import dev.patchbay.drivers.Scan;
import dev.patchbay.drivers.devicenode.Combinations.Match;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.Group;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.NodeResource;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathSpec;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathType;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.UsbSpec;
import dev.patchbay.host.HostRoot;
import dev.patchbay.host.NumaNodes;
import dev.patchbay.host.Stat;
import dev.patchbay.host.UsbBus;
import dev.patchbay.host.UsbBus.UsbDevice;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.Health;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// One look at the host for the devices that a configuration names.
final class DeviceNodeScanner {
  private final HostRoot host;
  private final DeviceNodeConfig config;
  private final List<Scan.Problem> problems = new ArrayList<>();
  private final List<Scan.NotOffered> notOffered = new ArrayList<>();
  private final Set<String> matched = new HashSet<>();
  private final Map<String, ResourceName> owners = new LinkedHashMap<>();

  DeviceNodeScanner(HostRoot host, DeviceNodeConfig config) {
    this.host = host;
    this.config = config;
  }

  Scan scan() {
    List<UsbDevice> usb = usbDevices();
    SequencedMap<ResourceName, List<OfferedDevice>> resources = new LinkedHashMap<>();
    for (NodeResource resource : config.resources()) {
      var name = new ResourceName(config.domain(), resource.name());
      SortedMap<DeviceId, OfferedDevice> devices = new TreeMap<>();
      Set<String> usedPorts = new HashSet<>();
      for (Group group : resource.groups())
        for (OfferedDevice device :
            group.usb().isEmpty() ? ofPaths(name, group) : ofUsb(group, usb, usedPorts))
          add(name, devices, device);
      resources.put(name, List.copyOf(devices.values()));
    }
    notOffered.addAll(new UnmatchedNodes(host).besides(matched));
    return new Scan(resources, notOffered, problems);
  }

  private void add(
      ResourceName resource, SortedMap<DeviceId, OfferedDevice> devices, OfferedDevice device) {
    OfferedDevice before = devices.putIfAbsent(device.device().id(), device);
    if (before != null)
      problems.add(
          new Scan.Problem(
              String.join(", ", device.paths()),
              "is matched by two groups of " + resource + "; the first one counts"));
    for (ContainerEdits.DeviceNode node : device.edits().deviceNodes()) {
      ResourceName owner = owners.putIfAbsent(node.hostPath(), resource);
      if (owner != null && !owner.equals(resource))
        problems.add(
            new Scan.Problem(
                node.hostPath(),
                "is offered by "
                    + owner
                    + " and by "
                    + resource
                    + "; two pods may get it at once"));
    }
  }

  private List<UsbDevice> usbDevices() {
    boolean asked =
        config.resources().stream()
            .flatMap(each -> each.groups().stream())
            .anyMatch(each -> !each.usb().isEmpty());
    if (!asked) return List.of();
    try {
      return UsbBus.devices(host);
    } catch (IOException e) {
      problems.add(new Scan.Problem("/sys/bus/usb/devices", String.valueOf(e.getMessage())));
      return List.of();
    }
  }

  private List<OfferedDevice> ofPaths(ResourceName resource, Group group) {
    List<List<String>> matches = new ArrayList<>();
    for (PathSpec spec : group.paths()) matches.add(matches(resource, spec));
    List<OfferedDevice> devices = new ArrayList<>();
    for (List<Match> device : Combinations.of(group.paths(), matches)) {
      List<String> paths = device.stream().map(Match::path).toList();
      List<String> names =
          device.stream()
              .filter(each -> each.spec().type() == PathType.DEVICE)
              .map(each -> DeviceIds.nameOf(each.path()))
              .toList();
      List<String> idNames =
          names.isEmpty() ? paths.stream().map(DeviceIds::nameOf).toList() : names;
      Health health = healthOf(device, group.healthCheck());
      ContainerEdits edits = edits(device);
      SortedSet<Integer> numa = numaNodes(device);
      for (int copy = 0; copy < group.count(); copy++)
        devices.add(
            new OfferedDevice(
                new Device(
                    DeviceIds.of(config.idScheme(), idNames, paths, copy, group.count()),
                    health,
                    numa),
                paths,
                edits));
    }
    return devices;
  }

  private List<String> matches(ResourceName resource, PathSpec spec) {
    try {
      List<String> found = host.glob(spec.path());
      for (String path : found) {
        matched.add(path);
        host.resolve(path).ifPresent(matched::add);
      }
      if (found.isEmpty() && !spec.optional())
        notOffered.add(
            new Scan.NotOffered(
                spec.path(), "nothing matches; " + resource + " has no device of it"));
      return found;
    } catch (IOException e) {
      problems.add(new Scan.Problem(spec.path(), String.valueOf(e.getMessage())));
      return List.of();
    }
  }

  private Health healthOf(List<Match> device, HealthCheck check) {
    for (Match match : device) {
      Health health =
          switch (match.spec().type()) {
            case DEVICE -> NodeHealth.ofNodeOrDirectory(host, match.path(), check);
            case MOUNT ->
                host.stat(match.path()).isPresent()
                    ? Health.healthy()
                    : Health.unhealthy(match.path() + " is gone or a link that leads nowhere");
          };
      if (!health.isHealthy()) return health;
    }
    return Health.healthy();
  }

  private ContainerEdits edits(List<Match> device) {
    ContainerEdits edits = ContainerEdits.NONE;
    for (Match match : device) {
      PathSpec spec = match.spec();
      String hostPath = host.resolve(match.path()).orElse(match.path());
      String containerPath = spec.containerPath(match.path());
      edits =
          switch (spec.type()) {
            case DEVICE ->
                edits.and(
                    new ContainerEdits.DeviceNode(hostPath, containerPath, spec.permissions()));
            case MOUNT ->
                edits.and(new ContainerEdits.Mount(hostPath, containerPath, spec.readOnly()));
          };
    }
    return edits;
  }

  private SortedSet<Integer> numaNodes(List<Match> device) {
    SortedSet<Integer> nodes = new TreeSet<>();
    for (Match match : device)
      if (match.spec().type() == PathType.DEVICE)
        host.stat(match.path())
            .filter(Stat::isDevice)
            .ifPresent(stat -> nodes.addAll(NumaNodes.of(host, stat)));
    return nodes;
  }

  /// Sets of USB devices, one for each selector, as long as there are enough.
  private List<OfferedDevice> ofUsb(Group group, List<UsbDevice> all, Set<String> usedPorts) {
    List<OfferedDevice> devices = new ArrayList<>();
    while (true) {
      List<UsbDevice> set = new ArrayList<>();
      Set<String> taken = new HashSet<>(usedPorts);
      for (UsbSpec selector : group.usb()) {
        Optional<UsbDevice> found =
            all.stream()
                .filter(each -> matches(selector, each) && !taken.contains(each.port()))
                .findFirst();
        if (found.isEmpty()) break;
        taken.add(found.get().port());
        set.add(found.get());
      }
      if (set.size() < group.usb().size()) return devices;
      usedPorts.addAll(taken);
      devices.addAll(usbSet(group, set));
    }
  }

  private static boolean matches(UsbSpec selector, UsbDevice device) {
    return device.vendor() == selector.vendor()
        && device.product() == selector.product()
        && (selector.serial().isEmpty()
            || device.serial().filter(selector.serial()::equals).isPresent());
  }

  private List<OfferedDevice> usbSet(Group group, List<UsbDevice> set) {
    List<String> paths = set.stream().map(UsbDevice::node).toList();
    List<String> names = set.stream().map(DeviceNodeScanner::usbName).toList();
    matched.addAll(paths);
    ContainerEdits edits = ContainerEdits.NONE;
    Health health = Health.healthy();
    SortedSet<Integer> numa = new TreeSet<>();
    for (UsbDevice device : set) {
      edits = edits.and(new ContainerEdits.DeviceNode(device.node(), device.node(), "rw"));
      if (health.isHealthy()) health = NodeHealth.of(host, device.node(), group.healthCheck());
      numa.addAll(NumaNodes.ofDirectory(host, device.directory()));
    }
    List<OfferedDevice> devices = new ArrayList<>();
    for (int copy = 0; copy < group.count(); copy++)
      devices.add(
          new OfferedDevice(
              new Device(
                  DeviceIds.of(config.idScheme(), names, paths, copy, group.count()), health, numa),
              paths,
              edits));
    return devices;
  }

  /// By serial number, which moves with the stick, else by port, which stays when it is replugged.
  private static String usbName(UsbDevice device) {
    String which = device.serial().map(DeviceIds::nameOfSerial).orElse("port" + device.port());
    return "usb-%04x-%04x-%s".formatted(device.vendor(), device.product(), which);
  }
}
