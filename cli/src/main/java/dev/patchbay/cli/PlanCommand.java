package dev.patchbay.cli;

import dev.patchbay.agent.Plan;
import dev.patchbay.cli.Inventory.DeviceEdits;
import dev.patchbay.cli.Inventory.PlannedResource;
import dev.patchbay.model.ContainerEdits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `patchbay plan`: what the agent would do.
@Command(
    name = "plan",
    mixinStandardHelpOptions = true,
    description =
        "Show what a configuration would advertise on this machine, and what containers would get; starts nothing.")
final class PlanCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private MachineOptions machine = new MachineOptions();
  @Mixin private PartOption part = new PartOption();
  @Mixin private OutputOption output = new OutputOption();

  @SuppressWarnings("NullAway.Init")
  PlanCommand() {}

  @Override
  public Integer call() throws Exception {
    var planned = Inventory.planned(Plan.of(part.choose(machine.configFile()), machine.openHost()));
    output.print(spec.commandLine().getOut(), planned, PlanCommand::table);
    return 0;
  }

  private static String table(Inventory.Planned planned) {
    var table = new Table("RESOURCE", "DEVICE", "HEALTH", "A CONTAINER GETS");
    for (PlannedResource resource : planned.resources()) {
      if (resource.devices().isEmpty()) table.row(resource.resource(), "none", "-", "-");
      for (List<DeviceEdits> run : Inventory.runs(resource.devices(), PlanCommand::alike))
        table.row(
            resource.resource(),
            Inventory.ids(run.stream().map(DeviceEdits::id).toList()),
            Inventory.inWords(run.getFirst().health(), run.getFirst().reason()),
            inWords(run.getFirst().edits()));
    }
    return (table.isEmpty() ? "no resources\n" : table.toString())
        + Inventory.table("Not offered", planned.notOffered())
        + Inventory.table("Problems", planned.problems());
  }

  private static boolean alike(DeviceEdits one, DeviceEdits other) {
    return one.edits().equals(other.edits())
        && one.health().equals(other.health())
        && one.reason().equals(other.reason())
        && one.numaNodes().equals(other.numaNodes());
  }

  /// `/dev/kvm (rw), /etc/asound.conf mounted read-only`.
  static String inWords(ContainerEdits edits) {
    List<String> parts = new ArrayList<>();
    edits
        .deviceNodes()
        .forEach(node ->
            parts.add(
                (node.hostPath().equals(node.containerPath())
                        ? node.hostPath()
                        : node.hostPath() + " as " + node.containerPath())
                    + " ("
                    + node.permissions()
                    + ")"));
    edits
        .mounts()
        .forEach(mount ->
            parts.add(
                mount.hostPath()
                    + (mount.hostPath().equals(mount.containerPath())
                        ? ""
                        : " as " + mount.containerPath())
                    + (mount.readOnly() ? " mounted read-only" : " mounted")));
    edits.env().forEach((name, value) -> parts.add(name + "=" + value));
    edits.annotations().forEach((name, value) -> parts.add("annotation " + name + "=" + value));
    edits.cdiDevices().forEach(name -> parts.add("CDI " + name));
    return parts.isEmpty() ? "nothing" : String.join(", ", parts);
  }
}
