package dev.patchbay.drivers.devicenode;

import dev.patchbay.drivers.OfferedDevice;
import dev.patchbay.drivers.Scan;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.Group;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.NodeResource;
import dev.patchbay.host.HostRoot;
import dev.patchbay.host.UsbBus;
import dev.patchbay.host.UsbBus.UsbDevice;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// One look at the host for the devices that a configuration names.
final class DeviceNodeScanner {
  private final HostRoot host;
  private final DeviceNodeConfig config;
  private final Notes notes = new Notes();
  private final Claims claims = new Claims();

  DeviceNodeScanner(HostRoot host, DeviceNodeConfig config) {
    this.host = host;
    this.config = config;
  }

  Scan scan() {
    var paths = new PathUnits(host, notes);
    var usb = new UsbUnits(host, notes, usbDevices());
    SequencedMap<ResourceName, List<OfferedDevice>> resources = new LinkedHashMap<>();
    for (NodeResource resource : config.resources()) {
      var name = new ResourceName(config.domain(), resource.name());
      SortedMap<DeviceId, OfferedDevice> devices = new TreeMap<>();
      Set<String> usedPorts = new HashSet<>();
      for (Group group : resource.groups()) {
        List<Unit> units =
            group.usb().isEmpty() ? paths.of(name, group) : usb.of(name, group, usedPorts);
        for (Unit unit : units) offer(name, unit, group.count(), devices);
      }
      resources.put(name, List.copyOf(devices.values()));
    }
    usb.noteUnknown();
    List<Scan.NotOffered> notOffered = new ArrayList<>(notes.notOffered());
    notOffered.addAll(new UnmatchedNodes(host).besides(notes.matched()));
    return new Scan(resources, notOffered, notes.problems());
  }

  private void offer(
      ResourceName resource, Unit unit, int count, SortedMap<DeviceId, OfferedDevice> devices) {
    boolean isNew = false;
    for (int copy = 0; copy < count; copy++) {
      OfferedDevice device = unit.copy(config.idScheme(), copy, count);
      OfferedDevice before = devices.putIfAbsent(device.device().id(), device);
      isNew |= before == null;
      if (before != null) notes.problem(taken(resource, unit, before));
    }
    if (!isNew) return;
    notes.offered(unit);
    claims.add(resource, unit).forEach(notes::problem);
  }

  private static Scan.Problem taken(ResourceName resource, Unit unit, OfferedDevice before) {
    return new Scan.Problem(
        unit.toString(),
        before.paths().equals(unit.paths())
            ? "is matched by two groups of " + resource + "; the first one counts"
            : "would have the id %s, which %s of %s has already; needed are two resources"
                .formatted(before.device().id(), String.join(", ", before.paths()), resource));
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
      notes.problem(new Scan.Problem("/sys/bus/usb/devices", String.valueOf(e.getMessage())));
      return List.of();
    }
  }
}
