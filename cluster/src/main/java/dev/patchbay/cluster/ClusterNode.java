package dev.patchbay.cluster;

import dev.patchbay.host.HostRoot;
import dev.patchbay.kubelet.FeatureGate;
import dev.patchbay.kubelet.KubeletSettings;
import dev.patchbay.kubelet.UnknownResources;
import dev.patchbay.kubelet.status.NodeQuantities;
import dev.patchbay.node.Instruments;
import dev.patchbay.node.Node;
import dev.patchbay.node.NodeConfig;
import dev.patchbay.node.NodeState;
import dev.patchbay.node.NodeState.PodState;
import dev.patchbay.node.NodeThreads;
import dev.patchbay.node.PodEvent;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The embedded kubelet as a node of a cluster. Thread-safe.
public final class ClusterNode implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.cluster");
  private static final Duration LONG = Duration.ofHours(1);

  /// What a node says of its runtime: path and version.
  private static final Pattern RUNTIME = Pattern.compile("(?:.*/)?([^/,]+), \\D*(\\d[^ ]*).*");

  private final ClusterConfig config;
  private final KubernetesClient client;
  private final Node node;
  private final PodStatuses statuses;
  private final Events events;
  private final NodeThreads threads = new NodeThreads("cluster", LOG);

  private ClusterNode(
      ClusterConfig config,
      KubernetesClient client,
      Node node,
      PodStatuses statuses,
      Events events) {
    this.config = config;
    this.client = client;
    this.node = node;
    this.statuses = statuses;
    this.events = events;
  }

  /// Starts a node: waits until the API server says which pods are bound to it, goes on with those
  /// that an earlier process of it left, registers.
  ///
  /// @param directory settings of the node itself; its manifests are not read
  /// @param runtime as for [Node#start(NodeConfig, Optional)]
  /// @throws IOException when the kubeconfig cannot be used, another process runs a node in this
  ///   directory, or the directory cannot be used
  public static ClusterNode start(
      ClusterConfig config, NodeConfig directory, Optional<String> runtime)
      throws IOException, InterruptedException {
    Kubeconfig kubeconfig = Kubeconfig.read(config.kubeconfig());
    String address =
        config.address().isPresent() ? config.address().get() : addressTo(kubeconfig.access());
    Files.createDirectories(directory.directory());
    boolean resets = NodeQuantities.isResetDue(directory.kubelet().devices().devicePluginDir());
    Machine machine = Machine.read(HostRoot.of(Path.of("/")), System.getProperty("os.arch", ""));
    InstantSource clock = InstantSource.system();
    KubernetesClient client = kubeconfig.client();
    var events = new Events(client, config.nodeName(), clock, Thread::sleep);
    var podText =
        new PodStatusText(address, directory.kubelet().isOn(FeatureGate.RESOURCE_HEALTH_STATUS));
    var statuses = new PodStatuses(client, podText, clock, Thread::sleep);
    var pods = new BoundPods(client, config.nodeName(), address, statuses, events);
    try {
      // As upstream's: what this node does not have the scheduler has counted elsewhere.
      Node node =
          Node.start(
              directory.withKubelet(
                  directory.kubelet().withUnknownResources(UnknownResources.IGNORE)),
              runtime,
              pods);
      var started = new ClusterNode(config, client, node, statuses, events);
      var text =
          new NodeStatusText(config, machine, runtimeVersion(node.state().runtime()), address);
      started.begin(
          new NodeRegistration(
              client,
              config,
              reserved(config, directory.kubelet()),
              text,
              clock,
              resets,
              new NodeNews(events, config.nodeName())),
          clock);
      return started;
    } catch (IOException | RuntimeException | InterruptedException e) {
      client.close();
      throw e;
    }
  }

  /// What of the node's capacity is not for pods.
  private static SortedMap<String, Long> reserved(ClusterConfig config, KubeletSettings kubelet) {
    SortedMap<String, Long> reserved = new TreeMap<>(config.capacity());
    reserved.replaceAll(
        (name, amount) -> amount - kubelet.nodeAllocatable().getOrDefault(name, amount));
    return reserved;
  }

  private void begin(NodeRegistration registration, InstantSource clock) {
    var lease = new NodeLease(client, config, clock, Thread::sleep, registration::node);
    events.tellOfNode(PodEvent.Kind.NORMAL, "Starting", "Starting kubelet.");
    threads.start("node-status", () -> keepNodeStatus(registration));
    threads.start("lease", lease::run);
    threads.start("pod-states", this::followPods);
    threads.start("pod-statuses", statuses::run);
    threads.start("events", events::run);
  }

  /// What the node and its pods are doing now.
  public NodeState state() {
    return node.state();
  }

  /// What was counted, and the settings.
  public Instruments instruments() {
    return node.instruments();
  }

  private void keepNodeStatus(NodeRegistration registration) throws InterruptedException {
    Retries retries = new Retries();
    while (true) {
      NodeState.Resources seen = node.state().node();
      try {
        registration.look(seen);
        retries.succeeded();
      } catch (KubernetesClientException e) {
        if (Thread.interrupted()) throw new InterruptedException();
        LOG.log(
            System.Logger.Level.WARNING,
            "node status not written, tried again why=\"{0}\"",
            e.getMessage());
        Thread.sleep(retries.afterFailure());
        continue;
      }
      node.awaitState(state -> !state.node().equals(seen), config.statusPeriod());
    }
  }

  private void followPods() throws InterruptedException {
    while (true) {
      List<PodState> seen = node.state().pods();
      seen.forEach(statuses::show);
      node.awaitState(state -> !state.pods().equals(seen), LONG);
    }
  }

  /// Ends what this process does; containers go on, and the cluster takes the node for lost after a
  /// while.
  @Override
  public void close() {
    threads.interrupt();
    node.close();
    try {
      threads.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    client.close();
  }

  /// The address from which the API server is reached; nothing is sent for it. When that is this
  /// machine itself, the first one that others could reach.
  private static String addressTo(Config access) throws IOException {
    URI server = URI.create(access.getMasterUrl());
    try (var socket = new DatagramSocket()) {
      socket.connect(new InetSocketAddress(server.getHost(), 443));
      InetAddress local = socket.getLocalAddress();
      if (!local.isLoopbackAddress() && !local.isAnyLocalAddress()) return local.getHostAddress();
    } catch (java.io.UncheckedIOException | java.net.SocketException e) {
      LOG.log(System.Logger.Level.DEBUG, "no way to the API server", e);
    }
    return NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .filter(it -> it instanceof java.net.Inet4Address && !it.isLoopbackAddress())
        .map(InetAddress::getHostAddress)
        .findFirst()
        .orElse("127.0.0.1");
  }

  /// As `name://version`.
  static String runtimeVersion(String shown) {
    Matcher parts = RUNTIME.matcher(shown.lines().findFirst().orElse(""));
    return !shown.startsWith("none: ") && parts.matches()
        ? parts.group(1) + "://" + parts.group(2)
        : "";
  }
}
