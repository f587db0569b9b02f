package dev.patchbay.model;

import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The full list of one resource's devices, sorted by id, no id twice. A list replaces the one
/// before it.
///
/// @param devices sorted by id
public record DeviceList(List<Device> devices) implements Iterable<Device> {
  /// No device at all.
  public static final DeviceList EMPTY = new DeviceList(List.of());

  /// @throws IllegalArgumentException when an id occurs twice
  public DeviceList {
    Set<DeviceId> seen = new HashSet<>();
    for (Device device : devices)
      if (!seen.add(device.id()))
        throw new IllegalArgumentException(
            "device id " + device.id() + " occurs twice in one list");
    devices = devices.stream().sorted().toList();
  }

  /// The list of these devices.
  ///
  /// @throws IllegalArgumentException when an id occurs twice
  public static DeviceList of(Device... devices) {
    return new DeviceList(List.of(devices));
  }

  /// The list of these devices.
  ///
  /// @throws IllegalArgumentException when an id occurs twice
  public static DeviceList copyOf(Collection<Device> devices) {
    return new DeviceList(List.copyOf(devices));
  }

  /// The device with this id.
  public Optional<Device> find(DeviceId id) {
    return devices.stream().filter(device -> device.id().equals(id)).findFirst();
  }

  /// The ids of the devices that can be given away.
  public Set<DeviceId> healthyIds() {
    return devices.stream()
        .filter(device -> device.health().isHealthy())
        .map(Device::id)
        .collect(Collectors.toUnmodifiableSet());
  }

  /// How many devices there are, healthy or not.
  public int size() {
    return devices.size();
  }

  @Override
  public Iterator<Device> iterator() {
    return devices.iterator();
  }
}
