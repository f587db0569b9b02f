package dev.patchbay.cli;

import dev.patchbay.host.Capture;
import dev.patchbay.host.HostRoot;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `patchbay capture`: a machine as a text archive.
@Command(
    name = "capture",
    mixinStandardHelpOptions = true,
    description = "Write this machine's devices as a text archive, for tests and bug reports.",
    footer =
        "%nAddresses and serial numbers are replaced. --host-root of other commands takes such an archive.")
final class CaptureCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "where to write it (default: standard output)")
  private Optional<Path> file = Optional.empty();

  @Option(
      names = "--host-root",
      paramLabel = "PATH",
      defaultValue = "/",
      description = "where the host's /sys, /proc and /dev are (default: ${DEFAULT-VALUE})")
  private Path hostRoot = Path.of("/");

  @SuppressWarnings("NullAway.Init")
  CaptureCommand() {}

  @Override
  public Integer call() throws Exception {
    String archive = Capture.of(HostRoot.of(hostRoot), InstantSource.system());
    if (file.isPresent()) {
      Files.writeString(file.get(), archive);
      return 0;
    }
    PrintWriter out = spec.commandLine().getOut();
    out.print(archive);
    out.flush();
    return 0;
  }
}
