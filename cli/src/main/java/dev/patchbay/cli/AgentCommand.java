package dev.patchbay.cli;

import dev.patchbay.agent.Agent;
import dev.patchbay.agent.ConfigFile;
import dev.patchbay.agent.config.AgentConfig;
import dev.patchbay.agent.log.LogOutput;
import dev.patchbay.host.HostRoot;
import dev.patchbay.node.Node;
import dev.patchbay.node.NodeConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
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

  @Mixin private MachineOptions machine = new MachineOptions();

  @Option(
      names = "--kubelet-dir",
      paramLabel = "DIR",
      defaultValue = "/var/lib/kubelet",
      description = "the kubelet's directory (default: ${DEFAULT-VALUE})")
  private Path kubeletDir = Path.of("/var/lib/kubelet");

  @Option(
      names = "--embedded-kubelet",
      description = "run the embedded kubelet in the same process, for a machine without one")
  private boolean embeddedKubelet;

  @Override
  public Integer call() throws Exception {
    AgentConfig config = machine.readConfig();
    LogOutput.configure(config.log(), System.err);
    HostRoot host = machine.openHost();
    Path dir = kubeletDir.toAbsolutePath().normalize();
    CountDownLatch end = Signals.whenAskedToEnd();
    try (var _ = embeddedKubelet ? startKubelet(dir) : NO_KUBELET;
        var agent = Agent.start(host, dir, config, steadyClock());
        var reload = watchConfig(agent)) {
      Signals.onHangUp(reload::hangUp);
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

  /// A clock that no correction of the machine's time moves: holds and grace periods are measured
  /// with it.
  private static InstantSource steadyClock() {
    Instant start = Instant.now();
    long from = System.nanoTime();
    return () -> start.plusNanos(System.nanoTime() - from);
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

  private Reload watchConfig(Agent agent) {
    return new Reload(
        machine
            .configFile()
            .map(file ->
                ConfigFile.watch(
                    file,
                    next -> {
                      LogOutput.configure(next.log(), System.err);
                      agent.apply(next);
                    })));
  }

  /// The configuration file, if there is one.
  private record Reload(Optional<ConfigFile> file) implements AutoCloseable {
    void hangUp() {
      if (file.isEmpty())
        LOG.log(System.Logger.Level.WARNING, "SIGHUP: no configuration file to read again");
      file.ifPresent(ConfigFile::reload);
    }

    @Override
    public void close() {
      file.ifPresent(ConfigFile::close);
    }
  }
}
