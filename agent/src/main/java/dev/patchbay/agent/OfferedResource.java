package dev.patchbay.agent;

import dev.patchbay.drivers.Driver;
import dev.patchbay.drivers.OfferedDevice;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.DeviceList;
import dev.patchbay.model.ResourceName;
import dev.patchbay.sdk.DeviceFeed;
import dev.patchbay.sdk.DevicePlugin;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/// One resource of a driver as a device plugin. Thread-safe: the driver's thread shows devices, the
/// kubelet's calls allocate them.
final class OfferedResource implements DevicePlugin {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.agent");

  /// What a driver showed last.
  private record Shown(Driver driver, Map<DeviceId, OfferedDevice> devices) {}

  private final ResourceName name;
  private final DeviceFeed feed = DeviceFeed.empty();
  private volatile Shown shown;

  OfferedResource(ResourceName name, Driver driver, List<OfferedDevice> devices) {
    this.name = name;
    shown = shown(driver, devices);
    feed.publish(listOf(devices));
  }

  /// Replaces the list.
  void show(Driver driver, List<OfferedDevice> devices) {
    shown = shown(driver, devices);
    feed.publish(listOf(devices));
  }

  private static Shown shown(Driver driver, List<OfferedDevice> devices) {
    return new Shown(
        driver,
        devices.stream()
            .collect(Collectors.toMap(each -> each.device().id(), Function.identity())));
  }

  private static DeviceList listOf(List<OfferedDevice> devices) {
    return DeviceList.copyOf(devices.stream().map(OfferedDevice::device).toList());
  }

  @Override
  public DeviceFeed devices() {
    return feed;
  }

  @Override
  public ContainerEdits allocate(List<DeviceId> devices) throws Exception {
    Shown now = shown;
    List<OfferedDevice> granted = new ArrayList<>();
    for (DeviceId id : devices) {
      OfferedDevice device = now.devices().get(id);
      if (device == null)
        throw new IOException("device " + id + " of " + name + " went away a moment ago");
      granted.add(device);
    }
    ContainerEdits edits = now.driver().edits(name, granted);
    LOG.log(System.Logger.Level.INFO, "allocated resource=" + name + " devices=" + devices);
    return edits;
  }
}
