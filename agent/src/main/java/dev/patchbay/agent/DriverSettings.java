package dev.patchbay.agent;

import dev.patchbay.agent.config.AgentConfig;
import dev.patchbay.agent.config.OutOfService;
import dev.patchbay.drivers.DeviceHistory.Patience;
import dev.patchbay.drivers.OfferedDevice;
import dev.patchbay.model.Health;
import dev.patchbay.model.ResourceName;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/// What a driver's loop goes by; replaced as a whole at a reload.
record DriverSettings(
    BuiltInDrivers.Enabled enabled,
    Patience patience,
    List<OutOfService> outOfService,
    Duration rescanEvery) {
  static DriverSettings of(BuiltInDrivers.Enabled enabled, AgentConfig config) {
    return new DriverSettings(
        enabled, config.health(), config.outOfService(), config.rescanEvery());
  }

  /// These settings; with the driver of the ones before, if its section says the same.
  DriverSettings keepingDriverOf(DriverSettings before) {
    return enabled.config().equals(before.enabled.config())
        ? new DriverSettings(before.enabled, patience, outOfService, rescanEvery)
        : this;
  }

  /// The devices with those unhealthy that the operator took away.
  SequencedMap<ResourceName, List<OfferedDevice>> withoutThoseOutOfService(
      SequencedMap<ResourceName, List<OfferedDevice>> offered) {
    if (outOfService.isEmpty()) return offered;
    SequencedMap<ResourceName, List<OfferedDevice>> all = new LinkedHashMap<>();
    offered.forEach(
        (name, devices) -> all.put(name, devices.stream().map(it -> judged(name, it)).toList()));
    return all;
  }

  private OfferedDevice judged(ResourceName name, OfferedDevice offered) {
    return outOfService.stream()
        .filter(entry -> entry.concerns(name, offered.device().id()))
        .findFirst()
        .map(entry ->
            new OfferedDevice(
                offered.device().with(Health.unhealthy("out of service: " + entry.reason())),
                offered.paths(),
                offered.edits()))
        .orElse(offered);
  }
}
