package dev.patchbay.cli;

import dev.patchbay.agent.ConfigFile;
import dev.patchbay.agent.config.ConfigProblem;
import dev.patchbay.agent.config.ConfigReading;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `patchbay validate`: every problem of a configuration file.
@Command(
    name = "validate",
    mixinStandardHelpOptions = true,
    description = "Show every problem of a configuration file, with line and column.")
final class ValidateCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private OutputOption output = new OutputOption();

  @Parameters(paramLabel = "FILE", description = "the configuration file")
  private Path file = Path.of("");

  @SuppressWarnings("NullAway.Init")
  ValidateCommand() {}

  /// What is shown.
  private record Verdict(String file, boolean valid, List<ConfigProblem> problems) {}

  @Override
  public Integer call() throws Exception {
    List<ConfigProblem> problems =
        switch (ConfigFile.read(file)) {
          case ConfigReading.Valid _ -> List.of();
          case ConfigReading.Wrong wrong -> wrong.problems();
        };
    var verdict = new Verdict(file.toString(), problems.isEmpty(), problems);
    if (!verdict.valid() && output.isTable()) {
      spec.commandLine().getErr().print(lines(problems));
      spec.commandLine().getErr().flush();
    } else {
      output.print(spec.commandLine().getOut(), verdict, it -> it.file() + ": valid\n");
    }
    return verdict.valid() ? ExitCode.OK : ExitCode.USAGE;
  }

  private static String lines(List<ConfigProblem> problems) {
    return problems.stream().map(problem -> problem + "\n").collect(Collectors.joining());
  }
}
