package dev.patchbay.cli;

import dev.patchbay.agent.Plan;
import dev.patchbay.cli.Inventory.FoundDevice;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `patchbay devices`: what is here.
@Command(
    name = "devices",
    mixinStandardHelpOptions = true,
    description =
        "Show the devices of this machine: id, paths, health, the resource that offers them.")
final class DevicesCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private MachineOptions machine = new MachineOptions();
  @Mixin private OutputOption output = new OutputOption();

  @SuppressWarnings("NullAway.Init")
  DevicesCommand() {}

  @Override
  public Integer call() throws Exception {
    var found = Inventory.devices(Plan.of(machine.readConfig(), machine.openHost()));
    output.print(spec.commandLine().getOut(), found, DevicesCommand::table);
    return 0;
  }

  /// One row for each device, or for many that look the same.
  static String table(Inventory.Devices found) {
    var table = new Table("DRIVER", "RESOURCE", "DEVICE", "PATHS", "NUMA", "HEALTH");
    for (List<FoundDevice> run : Inventory.runs(found.devices(), DevicesCommand::alike)) {
      FoundDevice first = run.getFirst();
      table.row(
          first.driver(),
          first.resource(),
          Inventory.ids(run.stream().map(FoundDevice::id).toList()),
          String.join(",", first.paths()),
          first.numaNodes().isEmpty()
              ? "-"
              : first.numaNodes().stream().map(String::valueOf).collect(Collectors.joining(",")),
          Inventory.inWords(first.health(), first.reason()));
    }
    return (table.isEmpty() ? "no devices\n" : table.toString())
        + Inventory.table("Not offered", found.notOffered())
        + Inventory.table("Problems", found.problems());
  }

  private static boolean alike(FoundDevice one, FoundDevice other) {
    return one.resource().equals(other.resource())
        && one.paths().equals(other.paths())
        && one.numaNodes().equals(other.numaNodes())
        && one.health().equals(other.health())
        && one.reason().equals(other.reason());
  }
}
