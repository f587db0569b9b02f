package dev.patchbay.cli.control;

import dev.patchbay.kubelet.Admission;
import dev.patchbay.kubelet.DeviceManagerConfig;
import dev.patchbay.kubelet.HostSettings;
import dev.patchbay.kubelet.Kubelet;
import dev.patchbay.kubelet.KubeletEvents;
import dev.patchbay.kubelet.KubeletSettings;
import dev.patchbay.kubelet.RuntimeContainer;
import dev.patchbay.kubelet.SteadyClock;
import dev.patchbay.kubelet.UnknownResources;
import dev.patchbay.kubelet.config.MachineRoom;
import dev.patchbay.kubelet.cpu.CpuOptions;
import dev.patchbay.kubelet.cpu.CpuSet;
import dev.patchbay.kubelet.cpu.CpuSettings;
import dev.patchbay.kubelet.metrics.KubeletMetrics;
import dev.patchbay.kubelet.podresources.KubeletHoldings;
import dev.patchbay.kubelet.podresources.PodResourcesServer;
import dev.patchbay.kubelet.podresources.PodResourcesSettings;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.registration.PluginObserver;
import dev.patchbay.kubelet.status.NodeQuantities;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.TopologySettings;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/// One life of the kubelet, from a start to the next stop.
final class RunningKubelet implements AutoCloseable {
  private final Kubelet kubelet;
  private final StartConfig config;
  private final Optional<PodResourcesServer> podResources;
  private final SortedMap<String, Long> machine;
  private final ReentrantLock nodeLock = new ReentrantLock();
  private NodeQuantities node = NodeQuantities.NONE;

  private RunningKubelet(
      StartConfig config,
      SortedMap<String, Long> machine,
      HealthEvents events,
      KubeletMetrics metrics) {
    this.config = config;
    this.machine = machine;
    kubelet =
        new Kubelet(
            settings(config, machine),
            SteadyClock.started(),
            new Told(events, metrics),
            new Registrations(metrics));
    podResources =
        config
            .podResources()
            .map(socket ->
                PodResourcesServer.at(
                    socket,
                    new KubeletHoldings(kubelet),
                    PodResourcesSettings.of(kubelet.settings()),
                    metrics));
  }

  /// Starts over these pods.
  ///
  /// @throws IOException when a directory or socket cannot be used
  static RunningKubelet start(
      StartConfig config, PodBook pods, HealthEvents events, KubeletMetrics metrics)
      throws IOException {
    var life = new RunningKubelet(config, capacity(config), events, metrics);
    try {
      life.start(pods);
    } catch (IOException | RuntimeException e) {
      life.close();
      throw e;
    }
    return life;
  }

  private void start(PodBook pods) throws IOException {
    for (PodBook.Entry each : pods.all()) {
      kubelet.know(each.pod());
      if (each.phase().isTerminal()) kubelet.ended(each.pod().uid(), each.phase());
    }
    kubelet.start(
        config.containers().stream()
            .map(
                each -> new RuntimeContainer(each.podUid(), each.name(), each.id(), each.running()))
            .toList());
    kubelet.sourcesReady(!config.sourcesPending());
    if (podResources.isPresent()) podResources.get().start();
    if (config.registry().isPresent()) kubelet.watchPlugins(config.registry().get());
  }

  private static KubeletSettings settings(StartConfig config, SortedMap<String, Long> machine) {
    return KubeletSettings.of(DeviceManagerConfig.of(config.dir()))
        .withUnknownResources(UnknownResources.IGNORE)
        .withTopology(
            TopologySettings.of(config.policy(), config.scope()).with(config.policyOptions()),
            machine(config))
        .withHost(host(config))
        .withNodeAllocatable(
            NodeQuantities.NONE
                .next(machine, reserved(config), NodeQuantities.Plugins.NONE)
                .allocatable())
        .withMinor(config.minor())
        .withFeatureGates(config.featureGates());
  }

  /// Without a directory for their state there are no such managers.
  private static HostSettings host(StartConfig config) {
    return config.state().isEmpty()
        ? HostSettings.NONE
        : new HostSettings(cpus(config), config.memory(), config.state());
  }

  private static CpuSettings cpus(StartConfig config) {
    if (config.cpuPolicy().equals("static"))
      return CpuSettings.reserving(CpuSet.of(CpuRanges.parse(config.reservedCpus())))
          .with(
              CpuOptions.of(
                  config.cpuPolicyOptions(),
                  config.minor().closedCpuOptions(config.featureGates())));
    if (!config.cpuPolicyOptions().isEmpty())
      throw new IllegalArgumentException("the CPU policy none takes no options");
    return CpuSettings.NONE;
  }

  /// What the node itself has: `cpu` in thousandths, the others as bytes or their number.
  private static SortedMap<String, Long> capacity(StartConfig config) {
    SortedMap<String, Long> all = new TreeMap<>(MachineRoom.of(machine(config)).capacity());
    all.put("pods", config.maxPods());
    return all;
  }

  private static NumaMachine machine(StartConfig config) {
    return new NumaMachine(config.nodes().stream().map(MachineNode::numa).toList());
  }

  private static SortedMap<String, Long> reserved(StartConfig config) {
    SortedMap<String, Long> all = new TreeMap<>();
    int cpus = CpuRanges.parse(config.reservedCpus()).size();
    if (cpus > 0) all.put("cpu", 1000L * cpus);
    for (SortedMap<String, Long> types : config.memory().reserved().values())
      types.forEach((type, bytes) -> all.merge(type, bytes, Long::sum));
    return all;
  }

  Kubelet kubelet() {
    return kubelet;
  }

  StartConfig config() {
    return config;
  }

  /// The node's status after an update, which takes the list of removed resources with it.
  NodeQuantities node() {
    nodeLock.lock();
    try {
      var now = kubelet.deviceCapacity();
      node =
          node.next(
              machine,
              reserved(config),
              new NodeQuantities.Plugins(now.capacity(), now.allocatable(), now.removed()));
      return node;
    } finally {
      nodeLock.unlock();
    }
  }

  @Override
  public void close() {
    podResources.ifPresent(PodResourcesServer::close);
    kubelet.close();
  }

  /// Register calls are counted before anything of them is checked.
  private record Registrations(KubeletMetrics metrics) implements PluginObserver {
    @Override
    public void arrived(Registration registration) {
      metrics.registration(registration.resource());
    }
  }

  /// What the kubelet tells goes to who asks, and into the metrics.
  private record Told(HealthEvents events, KubeletMetrics metrics) implements KubeletEvents {
    @Override
    public void allocateCalled(ResourceName resource, Duration took) {
      metrics.allocation(resource, took);
    }

    @Override
    public void podDecided(PodSpec pod, Admission admission, Duration took) {
      if (admission instanceof Admission.Refused refused)
        metrics.admissionRejected(refused.reason());
    }

    @Override
    public void deviceHealthChanged(SortedSet<String> podUids) {
      events.healthChanged(podUids);
    }
  }
}
