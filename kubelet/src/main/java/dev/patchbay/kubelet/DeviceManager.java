package dev.patchbay.kubelet;

import dev.patchbay.kubelet.checkpoint.CheckpointFile;
import dev.patchbay.kubelet.cpu.CpuSet;
import dev.patchbay.kubelet.cpu.ExclusiveCpus;
import dev.patchbay.kubelet.inventory.DeviceTable;
import dev.patchbay.kubelet.inventory.Inventory;
import dev.patchbay.kubelet.pluginwatcher.PluginHandler;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.registration.PluginApi;
import dev.patchbay.kubelet.registration.PluginConnection;
import dev.patchbay.kubelet.registration.PluginConnector;
import dev.patchbay.kubelet.registration.PluginObserver;
import dev.patchbay.kubelet.registration.RegistrationServer;
import dev.patchbay.kubelet.registration.RegistryPlugins;
import dev.patchbay.kubelet.registration.Timeouts;
import dev.patchbay.kubelet.topology.HintSource;
import dev.patchbay.kubelet.topology.TopologyHint;
import dev.patchbay.kubelet.topology.TopologyPolicy;
import dev.patchbay.kubelet.wire.ListedDevices;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Predicate;

/// The device manager of one node: plugins register with it on a socket, pods are admitted by it.
///
/// Thread-safe: the state is in a `DeviceLedger`, whose lock is never held while a plugin is asked
/// or a file is written. So a plugin that hangs holds up its own pod alone.
public final class DeviceManager implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.kubelet");
  private static final Duration FOR_EVER = Duration.ofDays(365);

  private final DeviceManagerConfig config;
  private final InstantSource clock;
  private final TopologyPolicy topology;
  private final Set<Quirk> quirks;
  private final KubeletEvents events;
  private final DeviceLedger ledger;
  private final HostStateFiles hostFiles;
  private final DeviceCheckpoint checkpoint;
  private final PluginConnector connector;
  private final RegistryPlugins registryPlugins;
  private final RegistrationServer server;

  /// Makes a manager; nothing is touched before [#start].
  DeviceManager(
      DeviceManagerConfig config,
      InstantSource clock,
      TopologyPolicy topology,
      HostState host,
      HostStateFiles hostFiles,
      Set<PluginApi> pluginApis,
      Set<Quirk> quirks,
      RegistrationServer.Withdrawal withdrawal,
      PluginObserver observer,
      KubeletEvents events) {
    this.config = config;
    this.clock = clock;
    this.topology = topology;
    this.quirks = quirks;
    ledger = new DeviceLedger(topology, host, quirks);
    this.hostFiles = hostFiles;
    this.events = events;
    checkpoint = new DeviceCheckpoint(new CheckpointFile(config.devicePluginDir()), ledger);
    connector =
        new PluginConnector(
            new Timeouts(
                config.dialTimeout(),
                quirks.contains(Quirk.PLUGINS_HAVE_NO_DEADLINE)
                    ? FOR_EVER
                    : config.allocateTimeout(),
                config.preStartTimeout()),
            new PluginEvents(),
            observer);
    registryPlugins = new RegistryPlugins(connector);
    server =
        new RegistrationServer(
            config.devicePluginDir(),
            connector,
            pluginApis,
            quirks.contains(Quirk.ENDPOINTS_ARE_NOT_CHECKED)
                ? RegistrationServer.Endpoints.ANYWHERE
                : RegistrationServer.Endpoints.IN_THE_DIRECTORY,
            withdrawal);
  }

  /// Reads the checkpoint, removes stale sockets, listens on `kubelet.sock`.
  ///
  /// @param containersRunning containers that the runtime reports as running: they keep running
  ///   whatever the plugins say
  /// @throws IOException when the directory cannot be used; names it. Also when the state files of
  ///   CPUs and memory do not fit
  public void start(Set<ContainerKey> containersRunning) throws IOException {
    ledger.restore(hostFiles.resume(ledger.host()));
    hostFiles.tryWrite(ledger::host);
    checkpoint.restore(clock.instant());
    ledger.running(containersRunning);
    server.start();
  }

  /// A container of a pod.
  public record ContainerKey(String podUid, String container) {}

  /// All pods that should run here at a start are known now; until then a running container is not
  /// re-allocated.
  public void sourcesReady() {
    sourcesReady(true);
  }

  void sourcesReady(boolean ready) {
    ledger.sourcesReady(ready);
  }

  /// Decides about a pod and reserves the devices of all its containers. Asking again for an
  /// admitted pod keeps what it has. Not to be called for one pod from two threads at once.
  public Admission admit(PodSpec pod) {
    boolean gotNew = false;
    try {
      boolean together = topology.scope() == TopologyPolicy.Scope.POD;
      if (together) place(pod, pod.allContainers());
      for (ContainerSpec container : pod.allContainers()) {
        if (!together) place(pod, List.of(container));
        gotNew |= allocationOf(pod, container).allocate();
        if (topology.scope() == TopologyPolicy.Scope.CONTAINER)
          events.containerPlaced(pod, container.name());
      }
      if (gotNew) checkpoint.write();
      hostFiles.tryWrite(ledger::host);
    } catch (NoPlace e) {
      release(pod.uid());
      return e.refused;
    } catch (IOException e) {
      release(pod.uid());
      return Admission.unexpected(String.valueOf(e.getMessage()));
    }
    return new Admission.Admitted();
  }

  private void place(PodSpec pod, List<ContainerSpec> together) throws NoPlace {
    ExclusiveCpus before = ledger.host().cpus();
    Optional<Admission.Refused> refused = ledger.place(pod, together);
    if (refused.isPresent()) throw new NoPlace(refused.get());
    if (before.givesNone()) return;
    ExclusiveCpus now = ledger.host().cpus();
    for (ContainerSpec container : together) {
      CpuSet cpus = now.of(pod.uid(), container.name());
      boolean anew = before.of(pod.uid(), container.name()).isEmpty();
      if (!cpus.isEmpty()) events.cpusOwned(pod, container.name(), cpus, anew);
    }
  }

  /// Ends an admission before a plugin was asked.
  private static final class NoPlace extends Exception {
    private static final long serialVersionUID = 1;
    private final transient Admission.Refused refused;

    NoPlace(Admission.Refused refused) {
      super(refused.message());
      this.refused = refused;
    }
  }

  private ContainerAllocation allocationOf(PodSpec pod, ContainerSpec container) {
    return new ContainerAllocation(ledger, events, pod, container);
  }

  /// A resource that no plugin ever listed here. Upstream takes it for a resource of the whole
  /// cluster, which a scheduler has counted; where no scheduler stands before the node, letting the
  /// pod run without its devices would be a lie.
  Optional<Admission> refusedForUnknownResource(PodSpec pod) {
    for (ContainerSpec container : pod.allContainers())
      for (Map.Entry<ResourceName, Long> limit : container.limits().entrySet()) {
        ResourceName name = limit.getKey();
        if (limit.getValue() > 0 && !ledger.now().knows(name))
          return Optional.of(
              new Admission.Refused(
                  "OutOf" + name,
                  "Node didn't have enough resource: %s, requested: %d, used: 0, capacity: 0"
                      .formatted(name, limit.getValue())));
      }
    return Optional.empty();
  }

  /// A container is about to start: calls PreStartContainer where the plugin wants it, which comes
  /// first, so that such a plugin is never asked for devices at a start.
  ///
  /// @throws IOException when a plugin refuses or is not there, or there is nothing to prepare
  void prepareStart(PodSpec pod, String container) throws IOException {
    new ContainerStart(ledger, pod, container(pod, container)).prepare();
  }

  /// Gives a container what it should hold and does not: its pod was admitted as one that runs, and
  /// what it held was not known.
  ///
  /// @throws IOException when it cannot have it, or the plugin cannot be reached
  void allocateMissing(PodSpec pod, String container) throws IOException {
    ContainerAllocation allocation = allocationOf(pod, container(pod, container));
    if (!allocation.holdsAll() && allocation.allocate()) checkpoint.write();
  }

  /// A container starts now.
  ///
  /// @return what it gets; empty when it has no devices
  Optional<ContainerEdits> started(PodSpec pod, String container) {
    ledger.started(pod, container);
    hostFiles.tryWrite(ledger::host);
    return new ContainerStart(ledger, pod, container(pod, container)).edits();
  }

  private static ContainerSpec container(PodSpec pod, String name) {
    return pod.allContainers().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("pod " + pod.name() + " has no container " + name));
  }

  /// The pod ended or was taken away: its devices are free.
  public void release(String podUid) {
    if (ledger.release(podUid)) checkpoint.tryWrite();
    hostFiles.tryWrite(ledger::host);
  }

  /// Takes the device plugins that a plugin watcher finds.
  public PluginHandler registryPlugins() {
    return registryPlugins;
  }

  /// Ends the connections to the plugins of a resource; nothing tells them why. Their devices count
  /// as unhealthy until they register again.
  ///
  /// @return whether there were any
  public boolean disconnect(ResourceName resource) {
    List<PluginConnection> connected = ledger.connections(resource);
    connected.forEach(PluginConnection::close);
    return !connected.isEmpty();
  }

  /// Takes back what pods hold that are not active. The checkpoint still says that they do.
  void retain(KnownPods pods) {
    ledger.retain(pods);
    hostFiles.tryWrite(ledger::host);
  }

  /// Lets the checkpoint say what containers hold now, if it says anything else.
  void catchUpCheckpoint() {
    checkpoint.catchUp();
  }

  /// CPUs and memory, and who has them, now.
  HostState host() {
    return ledger.host();
  }

  /// Devices and who holds them, now.
  public DeviceState state() {
    return ledger.now();
  }

  /// As upstream's `GetCapacity`: a resource whose grace period is over is reported once.
  DeviceCapacity capacity() {
    boolean expired = ledger.expire(clock.instant(), config.endpointGrace());
    DeviceCapacity now = ledger.capacity();
    if (expired) checkpoint.tryWrite();
    return now;
  }

  TopologyHint affinity(ContainerKey container) {
    return ledger.affinity(container);
  }

  /// Where what a pod asks for could lie now.
  HintSource places() {
    return new DevicePlaces(ledger.now(), topology.deviceHints());
  }

  boolean age(ResourceName resource, Duration by) {
    return ledger.age(resource, by);
  }

  /// Why no plugin can register now; empty when plugins can, and when none is to.
  Optional<String> problem() {
    return server.problem();
  }

  /// Capacity and allocatable now.
  public NodeResources nodeResources() {
    boolean expired = ledger.expire(clock.instant(), config.endpointGrace());
    NodeResources now = resourcesOf(ledger.now().inventory());
    if (expired) checkpoint.tryWrite();
    return now;
  }

  private static NodeResources resourcesOf(Inventory inventory) {
    return new NodeResources(inventory.capacity(), inventory.allocatable());
  }

  /// Waits until the node's resources are as the condition wants them.
  ///
  /// @return whether they were in that time
  public boolean awaitResources(Predicate<NodeResources> condition, Duration atMost)
      throws InterruptedException {
    return ledger.awaitInventory(now -> condition.test(resourcesOf(now)), atMost);
  }

  /// Which container holds which devices: pod uid, container name, resource, ids.
  public SortedMap<String, SortedMap<String, SortedMap<ResourceName, SortedSet<DeviceId>>>> held() {
    SortedMap<String, SortedMap<String, SortedMap<ResourceName, SortedSet<DeviceId>>>> all =
        new TreeMap<>();
    ledger
        .now()
        .allocations()
        .held()
        .forEach((key, share) ->
            all.computeIfAbsent(key.podUid(), _ -> new TreeMap<>())
                .computeIfAbsent(key.container(), _ -> new TreeMap<>())
                .put(key.resource(), share.devices()));
    return Collections.unmodifiableSortedMap(all);
  }

  /// Stops listening and drops all plugins; what was allocated stays in the checkpoint, which is
  /// not written any more. May be called twice.
  @Override
  public void close() {
    List<PluginConnection> open = ledger.close();
    checkpoint.end();
    hostFiles.end();
    open.forEach(PluginConnection::close);
    server.close();
    connector.close();
  }

  /// What plugins do.
  private final class PluginEvents implements PluginConnector.Plugins {
    @Override
    public void connected(PluginConnection connection) {
      if (!ledger.connected(connection)) connection.close();
    }

    @Override
    public void listed(PluginConnection connection, ListedDevices list) {
      SortedSet<String> owners = ledger.listed(connection, DeviceTable.of(list.devices()));
      checkpoint.tryWrite();
      if (!owners.isEmpty()) events.deviceHealthChanged(owners);
    }

    @Override
    public void ended(PluginConnection connection, String why) {
      if (ledger.ended(connection, clock.instant()))
        LOG.log(
            System.Logger.Level.WARNING,
            "plugin gone resource=" + connection.resource() + " reason=" + why);
      if (quirks.contains(Quirk.OLD_PLUGINS_END_THE_NEWEST))
        ledger
            .connection(connection.resource())
            .ifPresent(other -> ended(other, "another plugin of the resource has ended"));
      // Not on this thread, which is the connection's own.
      Thread.ofVirtual().start(connection::close);
    }
  }
}
