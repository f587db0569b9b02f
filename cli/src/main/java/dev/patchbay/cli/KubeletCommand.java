package dev.patchbay.cli;

import dev.patchbay.agent.config.LogConfig;
import dev.patchbay.agent.log.LogOutput;
import dev.patchbay.cli.control.ControlSession;
import dev.patchbay.cli.control.KubeletOperations;
import dev.patchbay.cluster.ClusterConfig;
import dev.patchbay.cluster.ClusterNode;
import dev.patchbay.http.HttpEndpoint;
import dev.patchbay.http.ListenAddress;
import dev.patchbay.kubelet.config.KubeletConfiguration;
import dev.patchbay.kubelet.pods.PodManifests;
import dev.patchbay.node.Node;
import dev.patchbay.node.NodeConfig;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `patchbay kubelet`: the embedded kubelet in the foreground.
@Command(
    name = "kubelet",
    mixinStandardHelpOptions = true,
    description = "Run the embedded kubelet in the foreground, until SIGTERM.",
    footer =
        "%nDevice plugins register in DIR/device-plugins. The pods whose manifests lie in the manifests' directory run, like static pods. Containers keep running when the kubelet ends; a pod goes with its manifest. With --kubeconfig the pods are those of a cluster; see docs/guide/cluster.md.")
final class KubeletCommand implements Callable<Integer> {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.cli");

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "its directory, in the part of /var/lib/kubelet; needed without --control")
  private Optional<Path> dir = Optional.empty();

  @Option(
      names = "--control",
      description =
          "for tests: run no container, do what JSON lines on standard input ask for and answer on standard output, until the input ends; without other options")
  private boolean control;

  @Option(
      names = "--manifests",
      paramLabel = "DIR",
      description = "where the pods' manifests lie (default: DIR/manifests)")
  private Optional<Path> manifests = Optional.empty();

  @Option(
      names = "--runtime",
      paramLabel = "NAME",
      description = "the OCI runtime, by name or path (default: runc, then crun)")
  private Optional<String> runtime = Optional.empty();

  @Option(
      names = "--http",
      paramLabel = "ADDRESS",
      description =
          "serve /metrics, /healthz and /configz there, such as 127.0.0.1:10255 (default: nowhere)")
  private Optional<String> http = Optional.empty();

  @Mixin private KubeletConfigOptions settings = new KubeletConfigOptions();

  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Spec private CommandSpec spec;

  // Picocli fills the specification in before it calls call().
  @SuppressWarnings("NullAway.Init")
  KubeletCommand() {}

  @Override
  public Integer call() throws Exception {
    if (control) return serveRequests();
    Path directory = dir.orElseThrow(() -> wrong("Missing required option: '--dir=DIR'"));
    cluster.check(spec.commandLine(), manifests.isPresent());
    LogOutput.configure(LogConfig.DEFAULTS, System.err);
    NodeConfig config = NodeConfig.of(directory.toAbsolutePath().normalize());
    if (manifests.isPresent())
      config = config.withManifests(manifests.get().toAbsolutePath().normalize());
    Optional<InetSocketAddress> listen = http.map(this::address);
    KubeletConfiguration wanted = settings.read(spec.commandLine(), config.directory());
    config =
        config.withKubelet(
            wanted.over(
                settings.quirked(spec.commandLine(), config.kubelet()), config.directory()));
    CountDownLatch end = Signals.whenAskedToEnd();
    PodManifests.prepare();
    if (cluster.areGiven()) runInCluster(wanted, config, listen, end);
    else runAlone(config, listen, end);
    return 0;
  }

  private int serveRequests() throws Exception {
    if (spec.commandLine().getParseResult().matchedOptions().size() > 1)
      throw wrong("--control takes no other option: requests say everything");
    LogOutput.configure(LogConfig.DEFAULTS, System.err);
    PodManifests.prepare();
    KubeletOperations.serve(new ControlSession(System.in, System.out));
    return 0;
  }

  private ParameterException wrong(String why) {
    return new ParameterException(spec.commandLine(), why);
  }

  private void runAlone(NodeConfig config, Optional<InetSocketAddress> listen, CountDownLatch end)
      throws Exception {
    try (var node = Node.start(config, runtime);
        var pages =
            new HttpEndpoint(
                KubeletPages.of(node.instruments(), Optional.of(config.manifests())))) {
      pages.apply(listen);
      LOG.log(
          System.Logger.Level.INFO,
          "kubelet started pid=%d dir=%s manifests=%s runtime=\"%s\""
              .formatted(
                  ProcessHandle.current().pid(),
                  config.directory(),
                  config.manifests(),
                  node.state().runtime()));
      end.await();
      LOG.log(System.Logger.Level.INFO, "kubelet ends, containers keep running");
    }
  }

  private void runInCluster(
      KubeletConfiguration kubelet,
      NodeConfig config,
      Optional<InetSocketAddress> listen,
      CountDownLatch end)
      throws Exception {
    ClusterConfig wanted = cluster.config(spec.commandLine(), kubelet);
    // It starts when the API server answers, which may be never.
    Thread starter = Thread.currentThread();
    Thread asked =
        Thread.ofVirtual()
            .start(() -> {
              try {
                end.await();
                starter.interrupt();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // it has started
              }
            });
    try (var node = ClusterNode.start(wanted, config, runtime);
        var pages = new HttpEndpoint(KubeletPages.of(node.instruments(), Optional.empty()))) {
      asked.interrupt();
      asked.join();
      pages.apply(listen);
      LOG.log(
          System.Logger.Level.INFO,
          "kubelet started pid=%d dir=%s node=%s runtime=\"%s\""
              .formatted(
                  ProcessHandle.current().pid(),
                  config.directory(),
                  wanted.nodeName(),
                  node.state().runtime()));
      end.await();
      LOG.log(System.Logger.Level.INFO, "kubelet ends, containers keep running");
    } catch (InterruptedException e) {
      if (end.getCount() > 0) throw e;
      LOG.log(System.Logger.Level.INFO, "kubelet ends before it could start");
    }
  }

  private InetSocketAddress address(String text) {
    return ListenAddress.parse(text)
        .orElseThrow(
            () -> wrong("--http is \"%s\"; needed is %s".formatted(text, ListenAddress.NEEDED)));
  }
}
