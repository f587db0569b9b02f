package dev.patchbay.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `patchbay demo`: the main job, shown on this machine.
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description =
        "Show the main job on this machine, in a temporary directory; leaves nothing behind.")
final class DemoCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--pod",
      paramLabel = "FILE",
      description = "a Pod manifest to run as the second pod, instead of the demo's own")
  private Optional<Path> pod = Optional.empty();

  @Option(names = "--keep", description = "keep the temporary directory with manifests and logs")
  private boolean keep;

  @SuppressWarnings("NullAway.Init")
  DemoCommand() {}

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    if (pod.isPresent() && !Files.isReadable(pod.get()))
      throw new Failed(pod.get() + " cannot be read");
    // Short, since sockets lie below it.
    Path dir = Files.createTempDirectory(Path.of("/tmp"), "patchbay-demo-");
    try (var demo = new Demo(out, dir, pod)) {
      // An interrupted demo leaves nothing behind either.
      var hook = new Thread(() -> cleanUp(demo, dir), "patchbay-demo-end");
      Runtime.getRuntime().addShutdownHook(hook);
      demo.run();
      Runtime.getRuntime().removeShutdownHook(hook);
    } finally {
      if (keep) out.println("kept: " + dir);
      else deleteTree(dir);
    }
    if (!keep && Files.exists(dir)) throw new Failed(dir + " could not be removed");
    out.println("\nDone; nothing is left behind.");
    return 0;
  }

  private void cleanUp(Demo demo, Path dir) {
    try {
      demo.close();
      if (!keep) deleteTree(dir);
    } catch (IOException e) {
      spec.commandLine().getErr().println("patchbay: " + Failed.textOf(e));
    }
  }

  private static void deleteTree(Path dir) throws IOException {
    if (!Files.exists(dir)) return;
    List<Path> deepestFirst;
    try (Stream<Path> tree = Files.walk(dir)) {
      deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : deepestFirst) Files.deleteIfExists(path);
  }
}
