package dev.patchbay.drivers.devicenode;

import dev.patchbay.drivers.NodeHealth;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.Group;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.UsbSpec;
import dev.patchbay.host.HostRoot;
import dev.patchbay.host.NumaNodes;
import dev.patchbay.host.UsbBus.UsbDevice;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Health;
import dev.patchbay.model.ResourceName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// Makes the devices of groups of USB devices: sets of one for each selector, as long as there are
/// enough.
final class UsbUnits {
  private static final String PERMISSIONS = "rw";

  /// The Linux Foundation's, which the kernel gives to its root hubs.
  private static final int ROOT_HUB_VENDOR = 0x1d6b;

  private final HostRoot host;
  private final Notes notes;
  private final List<UsbDevice> all;

  UsbUnits(HostRoot host, Notes notes, List<UsbDevice> all) {
    this.host = host;
    this.notes = notes;
    this.all = all;
  }

  /// @param usedPorts ports of the devices that are in a set of this resource already; those of the
  ///   new sets are added
  List<Unit> of(ResourceName resource, Group group, Set<String> usedPorts) {
    List<Unit> units = new ArrayList<>();
    Optional<List<UsbDevice>> set = nextSet(group, usedPorts);
    while (set.isPresent()) {
      set.get().forEach(device -> usedPorts.add(device.port()));
      units.add(unit(set.get(), group));
      set = nextSet(group, usedPorts);
    }
    noteLeftOvers(resource, group, usedPorts);
    return units;
  }

  private Optional<List<UsbDevice>> nextSet(Group group, Set<String> usedPorts) {
    List<UsbDevice> set = new ArrayList<>();
    Set<String> taken = new HashSet<>(usedPorts);
    for (UsbSpec selector : group.usb()) {
      Optional<UsbDevice> found =
          all.stream()
              .filter(each -> matches(selector, each) && !taken.contains(each.port()))
              .findFirst();
      if (found.isEmpty()) return Optional.empty();
      taken.add(found.get().port());
      set.add(found.get());
    }
    return Optional.of(set);
  }

  private static boolean matches(UsbSpec selector, UsbDevice device) {
    return device.vendor() == selector.vendor()
        && device.product() == selector.product()
        && (selector.serial().isEmpty()
            || device.serial().filter(selector.serial()::equals).isPresent());
  }

  private void noteLeftOvers(ResourceName resource, Group group, Set<String> usedPorts) {
    for (UsbSpec selector : group.usb()) {
      List<UsbDevice> found = all.stream().filter(each -> matches(selector, each)).toList();
      if (found.isEmpty())
        notes.missing(text(selector), "nothing matches; " + resource + " has no device of it");
      for (UsbDevice device : found)
        if (!usedPorts.contains(device.port()))
          notes.leftOver(
              device.node(),
              text(device) + ": there is no partner left for it in its group of " + resource);
    }
  }

  /// Names the devices that no group of any resource knows.
  void noteUnknown() {
    for (UsbDevice device : all)
      if (device.vendor() != ROOT_HUB_VENDOR)
        notes.leftOver(device.node(), text(device) + ": no entry of device-node matches");
  }

  private static String text(UsbSpec selector) {
    return "USB device %04x:%04x".formatted(selector.vendor(), selector.product())
        + (selector.serial().isEmpty() ? "" : " with the serial number " + selector.serial());
  }

  private static String text(UsbDevice device) {
    return "USB device "
        + device.idText()
        + device
            .serial()
            .map(serial -> " with the serial number " + DeviceIds.nameOfSerial(serial))
            .orElse("");
  }

  private Unit unit(List<UsbDevice> set, Group group) {
    List<String> paths = set.stream().map(UsbDevice::node).toList();
    ContainerEdits edits = ContainerEdits.NONE;
    Health health = Health.healthy();
    SortedSet<Integer> numa = new TreeSet<>();
    for (UsbDevice device : set) {
      edits = edits.and(ContainerEdits.ofNode(device.node(), PERMISSIONS));
      if (health.isHealthy()) health = NodeHealth.of(host, device.node(), group.healthCheck());
      numa.addAll(NumaNodes.ofDirectory(host, device.directory()));
    }
    return new Unit(
        set.stream().map(this::nameOf).toList(),
        paths,
        health,
        numa,
        edits,
        group.count() == 1 ? Set.copyOf(paths) : Set.of());
  }

  /// By serial number, which moves with the stick, else by port, which stays when it is replugged.
  /// Where several sticks of one kind have the same serial number, as cheap ones do, by both.
  private String nameOf(UsbDevice device) {
    long twins =
        all.stream()
            .filter(each ->
                each.idText().equals(device.idText()) && each.serial().equals(device.serial()))
            .count();
    String port = "port" + device.port();
    String which =
        device
            .serial()
            .map(DeviceIds::nameOfSerial)
            .map(serial -> twins > 1 ? serial + "-" + port : serial)
            .orElse(port);
    return "usb-%04x-%04x-%s".formatted(device.vendor(), device.product(), which);
  }
}
