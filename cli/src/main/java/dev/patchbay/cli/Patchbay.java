package dev.patchbay.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The `patchbay` command.
@Command(
    name = "patchbay",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description =
        "The Kubernetes device plugin framework: finds a node's devices and gives them to containers.",
    subcommands = {
      AgentCommand.class,
      KubeletCommand.class,
      PodsCommand.class,
      NodeCommand.class,
      DevicesCommand.class,
      PlanCommand.class,
      ValidateCommand.class,
      CaptureCommand.class,
      DemoCommand.class,
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:done", "1:failed", "2:wrong usage or wrong configuration"})
public final class Patchbay implements Runnable {
  @Spec private CommandSpec spec;

  // Picocli fills the specification in before it calls run().
  @SuppressWarnings("NullAway.Init")
  private Patchbay() {}

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  /// Runs one command and ends the process with its exit status.
  public static void main(String[] args) {
    var out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    var err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    int status = run(out, err, withoutScript(args));
    out.flush();
    err.flush();
    System.exit(status);
  }

  /// Where the JVM is the interpreter of a script, as in the image, the kernel puts the script's
  /// path before the user's arguments.
  static String[] withoutScript(String... args) {
    boolean isFirst = args.length > 0 && args[0].equals(System.getProperty("patchbay.script"));
    return isFirst ? Arrays.copyOfRange(args, 1, args.length) : args;
  }

  /// Runs one command inside this process.
  ///
  /// @return the exit status
  static int run(PrintWriter out, PrintWriter err, String... args) {
    Optional<AgentCommand> agent =
        args.length > 0 && args[0].equals("agent")
            ? AgentCommand.readPlainly(List.of(args).subList(1, args.length))
            : Optional.empty();
    if (agent.isEmpty()) return commandLine(out, err).execute(args);
    try {
      return agent.get().call();
    } catch (Exception e) {
      return report(e, err);
    }
  }

  static CommandLine commandLine(PrintWriter out, PrintWriter err) {
    return new CommandLine(new Patchbay())
        .setOut(out)
        .setErr(err)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setUsageHelpAutoWidth(true)
        .setExecutionExceptionHandler((failure, _, _) -> report(failure, err));
  }

  private static int report(Exception failure, PrintWriter err) {
    switch (failure) {
      case WrongConfiguration wrong -> {
        wrong.problems().forEach(err::println);
        err.println("patchbay: " + wrong.getMessage());
        return CommandLine.ExitCode.USAGE;
      }
      case Failed failed -> err.println("patchbay: " + failed.getMessage());
      case InterruptedException _ -> Thread.currentThread().interrupt();
      default -> {
        err.println("patchbay: " + Failed.textOf(failure));
        if (System.getenv("PATCHBAY_DEBUG") != null) failure.printStackTrace(err);
      }
    }
    return CommandLine.ExitCode.SOFTWARE;
  }
}
