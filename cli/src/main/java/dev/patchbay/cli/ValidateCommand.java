package dev.patchbay.cli;

import dev.patchbay.agent.ConfigFile;
import dev.patchbay.agent.config.ConfigParts;
import dev.patchbay.agent.config.ConfigProblem;
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
    description =
        "Show every problem of a configuration file, with line and column. The file may also be a manifest with ConfigMaps, or the values of the Helm chart.")
final class ValidateCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private OutputOption output = new OutputOption();

  @Parameters(paramLabel = "FILE", description = "the configuration file")
  private Path file = Path.of("");

  @SuppressWarnings("NullAway.Init")
  ValidateCommand() {}

  /// What is shown.
  ///
  /// @param parts names of the configurations in the file; none when it is one by itself
  private record Verdict(
      String file, boolean valid, List<String> parts, List<ConfigProblem> problems) {}

  @Override
  public Integer call() throws Exception {
    ConfigParts found = ConfigFile.readParts(file);
    List<ConfigProblem> problems = found.problems();
    var verdict =
        new Verdict(
            file.toString(),
            problems.isEmpty(),
            found.parts().sequencedKeySet().stream().filter(name -> !name.isEmpty()).toList(),
            problems);
    if (!verdict.valid() && output.isTable()) {
      spec.commandLine().getErr().print(lines(problems));
      spec.commandLine().getErr().flush();
    } else {
      output.print(spec.commandLine().getOut(), verdict, ValidateCommand::inWords);
    }
    return verdict.valid() ? ExitCode.OK : ExitCode.USAGE;
  }

  private static String inWords(Verdict verdict) {
    String parts = verdict.parts().isEmpty() ? "" : " (" + String.join(", ", verdict.parts()) + ")";
    return verdict.file() + ": valid" + parts + "\n";
  }

  private static String lines(List<ConfigProblem> problems) {
    return problems.stream().map(problem -> problem + "\n").collect(Collectors.joining());
  }
}
