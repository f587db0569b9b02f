package dev.patchbay.cli;

import dev.patchbay.agent.Plan;
import dev.patchbay.agent.Plan.DriverPlan;
import dev.patchbay.agent.Plan.PlannedDevice;
import dev.patchbay.drivers.OfferedDevice;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Health;
import dev.patchbay.model.ResourceName;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.function.BiFunction;
import java.util.function.Function;

/// A plan in the shapes that `devices` and `plan` print; described in `docs/reference/output.md`.
final class Inventory {
  private Inventory() {}

  /// What `patchbay devices` prints.
  record Devices(List<FoundDevice> devices, List<Finding> notOffered, List<Finding> problems) {}

  /// A device that a resource offers.
  ///
  /// @param health `healthy` or `unhealthy`
  /// @param reason why it is unhealthy; empty when it is not
  record FoundDevice(
      String driver,
      String resource,
      String id,
      List<String> paths,
      SortedSet<Integer> numaNodes,
      String health,
      String reason) {}

  /// Something found that is not offered, or not usable.
  record Finding(String driver, String path, String why) {}

  /// What `patchbay plan` prints.
  record Planned(
      List<PlannedResource> resources, List<Finding> notOffered, List<Finding> problems) {}

  /// A resource as it would be advertised.
  record PlannedResource(String driver, String resource, List<DeviceEdits> devices) {}

  /// A device and what a container would get with it alone.
  record DeviceEdits(
      String id,
      String health,
      String reason,
      SortedSet<Integer> numaNodes,
      ContainerEdits edits) {}

  static Devices devices(Plan plan) {
    return new Devices(
        each(plan, Inventory::found), findings(plan, Inventory::notOffered), problems(plan));
  }

  static Planned planned(Plan plan) {
    List<PlannedResource> resources = new ArrayList<>();
    for (DriverPlan driver : plan.drivers())
      driver
          .resources()
          .forEach((name, devices) ->
              resources.add(
                  new PlannedResource(
                      driver.driver(),
                      name.toString(),
                      devices.stream().map(Inventory::edits).toList())));
    return new Planned(resources, findings(plan, Inventory::notOffered), problems(plan));
  }

  private static List<FoundDevice> each(Plan plan, ToFound shape) {
    List<FoundDevice> all = new ArrayList<>();
    for (DriverPlan driver : plan.drivers())
      driver
          .resources()
          .forEach((name, devices) ->
              devices.forEach(it -> all.add(shape.of(driver.driver(), name, it.offered()))));
    return all;
  }

  private interface ToFound {
    FoundDevice of(String driver, ResourceName resource, OfferedDevice device);
  }

  private static FoundDevice found(String driver, ResourceName resource, OfferedDevice offered) {
    Health health = offered.device().health();
    return new FoundDevice(
        driver,
        resource.toString(),
        offered.device().id().value(),
        offered.paths(),
        offered.device().numaNodes(),
        word(health),
        reason(health));
  }

  private static DeviceEdits edits(PlannedDevice planned) {
    var device = planned.offered().device();
    return new DeviceEdits(
        device.id().value(),
        word(device.health()),
        reason(device.health()),
        device.numaNodes(),
        planned.edits());
  }

  private static List<Finding> findings(Plan plan, Function<DriverPlan, List<Finding>> ofDriver) {
    return plan.drivers().stream().flatMap(driver -> ofDriver.apply(driver).stream()).toList();
  }

  private static List<Finding> notOffered(DriverPlan driver) {
    return driver.notOffered().stream()
        .map(it -> new Finding(driver.driver(), it.path(), it.why()))
        .toList();
  }

  private static List<Finding> problems(Plan plan) {
    return findings(
        plan,
        driver ->
            driver.problems().stream()
                .map(it -> new Finding(driver.driver(), it.path(), it.why()))
                .toList());
  }

  private static String word(Health health) {
    return health.isHealthy() ? "healthy" : "unhealthy";
  }

  private static String reason(Health health) {
    return health instanceof Health.Unhealthy unhealthy ? unhealthy.reason() : "";
  }

  /// `healthy`, or `unhealthy: why`.
  static String inWords(String health, String reason) {
    return reason.isEmpty() ? health : health + ": " + reason;
  }

  /// Neighbours that look the same, as one entry: a node that a thousand pods may share has a
  /// thousand devices.
  static <T> List<List<T>> runs(List<T> all, BiFunction<T, T, Boolean> alike) {
    List<List<T>> runs = new ArrayList<>();
    for (T each : all) {
      if (!runs.isEmpty() && alike.apply(runs.getLast().getFirst(), each)) runs.getLast().add(each);
      else runs.add(new ArrayList<>(List.of(each)));
    }
    return runs;
  }

  /// `kvm0`, or `kvm0 and 999 more`.
  static String ids(List<String> ids) {
    return ids.size() == 1 ? ids.getFirst() : ids.getFirst() + " and " + (ids.size() - 1) + " more";
  }

  /// Findings as a table, or nothing.
  static String table(String title, List<Finding> findings) {
    var table = new Table("DRIVER", "PATH", "WHY");
    findings.forEach(it -> table.row(it.driver(), it.path(), it.why()));
    return table.isEmpty() ? "" : "\n" + title + "\n" + table;
  }
}
