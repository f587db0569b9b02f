package dev.patchbay.agent;

import dev.patchbay.agent.config.DriversConfig;
import dev.patchbay.drivers.Driver;
import dev.patchbay.drivers.devicenode.DeviceNodeDriver;
import dev.patchbay.drivers.kubevirt.KubevirtDriver;
import dev.patchbay.host.HostRoot;
import java.util.ArrayList;
import java.util.List;

/// The device families that the agent knows: add a line for a new one.
final class BuiltInDrivers {
  private BuiltInDrivers() {}

  /// A family that is switched on.
  ///
  /// @param config its section, to see whether a new configuration says the same
  record Enabled(Record config, Driver driver) {}

  /// The families that this configuration switches on, in the order in which they are shown.
  static List<Enabled> of(DriversConfig config, HostRoot host) {
    List<Enabled> all = new ArrayList<>();
    config.deviceNode().ifPresent(it -> all.add(new Enabled(it, new DeviceNodeDriver(host, it))));
    config.kubevirt().ifPresent(it -> all.add(new Enabled(it, new KubevirtDriver(host, it))));
    return all;
  }
}
