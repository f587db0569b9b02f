package dev.patchbay.cli;

import dev.patchbay.agent.Plan;
import dev.patchbay.agent.Plan.DriverPlan;
import dev.patchbay.agent.Plan.PlannedDevice;
import dev.patchbay.host.HostRoot;
import dev.patchbay.host.Stat;
import dev.patchbay.model.ContainerEdits.DeviceNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What the demo shows of this machine: resources with enough devices, each of one node.
///
/// @param first of which the demo pod gets two
/// @param second for the second pod; the same as the first when the machine has no other
record DemoDevices(Offer first, Offer second) {
  private static final int NEEDED = 3;

  /// A resource whose devices are one device node each.
  ///
  /// @param ids of its healthy devices
  /// @param node what a container gets
  /// @param number of the node, `c 10 183`
  record Offer(String resource, List<String> ids, DeviceNode node, String number) {}

  /// Empty when no resource has three healthy devices.
  static Optional<DemoDevices> of(Plan plan, HostRoot host) {
    List<Offer> offers = new ArrayList<>();
    for (DriverPlan driver : plan.drivers())
      driver
          .resources()
          .forEach((name, devices) -> offer(name.toString(), devices, host).ifPresent(offers::add));
    if (offers.isEmpty()) return Optional.empty();
    return Optional.of(new DemoDevices(offers.getFirst(), offers.get(offers.size() > 1 ? 1 : 0)));
  }

  private static Optional<Offer> offer(
      String resource, List<PlannedDevice> devices, HostRoot host) {
    List<PlannedDevice> healthy =
        devices.stream().filter(it -> it.offered().device().health().isHealthy()).toList();
    if (healthy.size() < NEEDED) return Optional.empty();
    List<DeviceNode> nodes = healthy.getFirst().edits().deviceNodes();
    boolean all = healthy.stream().allMatch(it -> it.edits().deviceNodes().equals(nodes));
    if (nodes.size() != 1 || !all) return Optional.empty();
    List<String> ids = healthy.stream().map(it -> it.offered().device().id().value()).toList();
    return host.stat(nodes.getFirst().hostPath())
        .filter(Stat::isDevice)
        .map(stat ->
            new Offer(
                resource,
                ids,
                nodes.getFirst(),
                (stat.kind() == Stat.Kind.BLOCK_DEVICE ? "b " : "c ")
                    + stat.major()
                    + " "
                    + stat.minor()));
  }
}
