package dev.patchbay.cli;

import dev.patchbay.agent.Plan;
import dev.patchbay.cli.Inventory.FoundDevice;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
  @Mixin private PartOption part = new PartOption();
  @Mixin private OutputOption output = new OutputOption();

  @Option(
      names = "--check",
      description = "end with status 1 unless every resource has a device and all are healthy")
  private boolean check;

  @SuppressWarnings("NullAway.Init")
  DevicesCommand() {}

  @Override
  public Integer call() throws Exception {
    Plan plan = Plan.of(part.choose(machine.configFile()), machine.openHost());
    output.print(spec.commandLine().getOut(), Inventory.devices(plan), DevicesCommand::table);
    if (check && !isWell(plan)) throw new Failed("not every resource has healthy devices");
    return 0;
  }

  private static boolean isWell(Plan plan) {
    return plan.drivers().stream()
        .allMatch(driver ->
            driver.problems().isEmpty()
                && driver.resources().values().stream()
                    .allMatch(devices ->
                        !devices.isEmpty()
                            && devices.stream()
                                .allMatch(it -> it.offered().device().health().isHealthy())));
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
