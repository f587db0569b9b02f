package dev.patchbay.cli;

import dev.patchbay.agent.Agent;
import dev.patchbay.agent.config.AgentConfig;
import dev.patchbay.agent.log.LogOutput;
import dev.patchbay.host.HostRoot;
import dev.patchbay.kubelet.SteadyClock;
import dev.patchbay.node.Node;
import dev.patchbay.node.NodeConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `patchbay agent`: the daemon.
@Command(
    name = "agent",
    mixinStandardHelpOptions = true,
    description = "Offer this node's devices to the kubelet, until SIGTERM.",
    footer =
        "%nThe configuration is read again when its file changes, and on SIGHUP; a file that is wrong changes nothing.")
final class AgentCommand implements Callable<Integer> {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.cli");

  private static final String KUBELET_DIR = "--kubelet-dir";
  private static final String EMBEDDED_KUBELET = "--embedded-kubelet";

  @Mixin private MachineOptions machine = new MachineOptions();

  @Option(
      names = KUBELET_DIR,
      paramLabel = "DIR",
      defaultValue = "/var/lib/kubelet",
      description = "the kubelet's directory (default: ${DEFAULT-VALUE})")
  private Path kubeletDir = Path.of("/var/lib/kubelet");

  @Option(
      names = EMBEDDED_KUBELET,
      description = "run the embedded kubelet in the same process, for a machine without one")
  private boolean embeddedKubelet;

  /// The command that these words ask for, read without Picocli, whose start takes as long as the
  /// JVM's own; empty when they are anything but options in their plain form, each once. Picocli
  /// reads them then, and says what is wrong with them.
  static Optional<AgentCommand> readPlainly(List<String> words) {
    var agent = new AgentCommand();
    Set<String> seen = new HashSet<>();
    Iterator<String> rest = words.iterator();
    while (rest.hasNext()) {
      String word = rest.next();
      int equals = word.indexOf('=');
      String name = equals < 0 ? word : word.substring(0, equals);
      if (!seen.add(name)) return Optional.empty();
      if (word.equals(EMBEDDED_KUBELET)) {
        agent.embeddedKubelet = true;
        continue;
      }
      String value = equals >= 0 ? word.substring(equals + 1) : rest.hasNext() ? rest.next() : "";
      // What begins like an option or names a file of arguments is Picocli's to judge.
      if (value.isEmpty() || "-@\"'".indexOf(value.charAt(0)) >= 0) return Optional.empty();
      if (name.equals(KUBELET_DIR)) agent.kubeletDir = Path.of(value);
      else if (!agent.machine.set(name, value)) return Optional.empty();
    }
    return Optional.of(agent);
  }

  @Override
  public Integer call() throws Exception {
    AgentConfig config = machine.readConfig();
    LogOutput.configure(config.log(), System.err);
    HostRoot host = machine.openHost();
    Path dir = kubeletDir.toAbsolutePath().normalize();
    CountDownLatch end = Signals.whenAskedToEnd();
    try (var _ = embeddedKubelet ? startKubelet(dir) : NO_KUBELET;
        var process =
            AgentProcess.around(
                Agent.start(host, dir, config, SteadyClock.started()),
                config,
                machine.configFile())) {
      Signals.onHangUp(process::hangUp);
      LOG.log(
          System.Logger.Level.INFO,
          "agent started pid=%d config=%s kubelet-dir=%s host-root=%s"
              .formatted(
                  ProcessHandle.current().pid(),
                  machine.configFile().map(Path::toString).orElse("built-in"),
                  dir,
                  host));
      end.await();
      LOG.log(System.Logger.Level.INFO, "agent ends");
    }
    return 0;
  }

  /// The options' values, to compare two ways of reading them.
  List<Object> values() {
    return List.of(machine.configFile(), machine.hostRoot(), kubeletDir, embeddedKubelet);
  }

  private static AutoKubelet startKubelet(Path dir) throws IOException, InterruptedException {
    Node node = Node.start(NodeConfig.of(dir), Optional.empty());
    return node::close;
  }

  private static final AutoKubelet NO_KUBELET = () -> {};

  /// A kubelet in this process, or none.
  private interface AutoKubelet extends AutoCloseable {
    @Override
    void close();
  }
}
