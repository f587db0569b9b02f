package dev.patchbay.agent;

import dev.patchbay.agent.config.AgentConfig;
import dev.patchbay.drivers.DeviceHistory;
import dev.patchbay.drivers.Driver;
import dev.patchbay.drivers.OfferedDevice;
import dev.patchbay.drivers.Scan;
import dev.patchbay.host.HostRoot;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.ResourceName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Collectors;

/// What the agent would do on a machine, without doing it: one look at the host, as the first of
/// the agent's.
///
/// @param drivers by driver, in the agent's order
public record Plan(List<DriverPlan> drivers) {
  /// One driver's part.
  ///
  /// @param resources the devices of each resource and their health as they would be advertised
  /// @param notOffered what is here but offered by no resource
  /// @param problems what cannot be used; of a driver that fails altogether, that alone
  public record DriverPlan(
      String driver,
      SequencedMap<ResourceName, List<PlannedDevice>> resources,
      List<Scan.NotOffered> notOffered,
      List<Scan.Problem> problems) {
    /// The same, since another driver offers these paths.
    DriverPlan withoutNotOffered(Set<String> paths) {
      return new DriverPlan(
          driver,
          resources,
          notOffered.stream().filter(it -> !paths.contains(it.path())).toList(),
          problems);
    }
  }

  /// A device and what a container would get with it.
  ///
  /// @param edits for this device alone
  public record PlannedDevice(OfferedDevice offered, ContainerEdits edits) {}

  public Plan {
    drivers = List.copyOf(drivers);
  }

  /// Looks at the host now.
  public static Plan of(AgentConfig config, HostRoot host) {
    List<DriverPlan> drivers =
        BuiltInDrivers.of(config.drivers(), host).stream()
            .map(enabled -> of(DriverSettings.of(enabled, config)))
            .toList();
    Set<String> offered =
        drivers.stream()
            .flatMap(driver -> driver.resources().values().stream())
            .flatMap(devices -> devices.stream())
            .flatMap(device -> device.offered().paths().stream())
            .collect(Collectors.toSet());
    return new Plan(drivers.stream().map(driver -> driver.withoutNotOffered(offered)).toList());
  }

  private static DriverPlan of(DriverSettings settings) {
    Driver driver = settings.enabled().driver();
    try {
      Scan scan = driver.scan();
      DeviceHistory history = DeviceHistory.EMPTY.after(scan, Instant.EPOCH, settings.patience());
      List<Scan.Problem> problems = new ArrayList<>(scan.problems());
      SequencedMap<ResourceName, List<PlannedDevice>> resources = new LinkedHashMap<>();
      for (Map.Entry<ResourceName, List<OfferedDevice>> entry :
          settings.withoutThoseOutOfService(history.offered()).entrySet())
        resources.put(entry.getKey(), planned(driver, entry.getKey(), entry.getValue(), problems));
      return new DriverPlan(driver.name(), resources, scan.notOffered(), problems);
    } catch (Exception e) {
      return new DriverPlan(
          driver.name(),
          new LinkedHashMap<>(),
          List.of(),
          List.of(new Scan.Problem(driver.name(), "the driver fails: " + e)));
    }
  }

  private static List<PlannedDevice> planned(
      Driver driver,
      ResourceName resource,
      List<OfferedDevice> devices,
      List<Scan.Problem> problems) {
    List<PlannedDevice> all = new ArrayList<>();
    for (OfferedDevice device : devices) {
      try {
        all.add(new PlannedDevice(device, driver.edits(resource, List.of(device))));
      } catch (Exception e) {
        problems.add(
            new Scan.Problem(
                String.join(", ", device.paths()),
                "no container could get " + device.device().id() + ": " + e.getMessage()));
      }
    }
    return all;
  }
}
