package dev.patchbay.kubelet;

import dev.patchbay.kubelet.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.allocation.Allocations;
import dev.patchbay.kubelet.allocation.Allocator;
import dev.patchbay.kubelet.allocation.Decision;
import dev.patchbay.kubelet.allocation.MergedAnswers;
import dev.patchbay.kubelet.allocation.Request;
import dev.patchbay.kubelet.checkpoint.Checkpoint;
import dev.patchbay.kubelet.checkpoint.CheckpointFile;
import dev.patchbay.kubelet.inventory.Inventory;
import dev.patchbay.kubelet.inventory.ResourceState;
import dev.patchbay.kubelet.registration.PluginConnection;
import dev.patchbay.kubelet.registration.RegistrationServer;
import dev.patchbay.kubelet.registration.Timeouts;
import dev.patchbay.kubelet.wire.Messages;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/// The device manager of one node: plugins register with it on a socket, pods are admitted by it.
///
/// Thread-safe. Inventory and allocations are immutable values, exchanged under one lock in steps
/// that are each whole: devices are reserved under the lock, the plugin is asked without it, the
/// answer is committed or the reservation released. So a plugin that hangs holds up its own pod
/// alone.
public final class DeviceManager implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.kubelet");
  private static final String REJECTED = "UnexpectedAdmissionError";
  private static final String NO_ENDPOINT =
      "endpoint not found in cache for a registered resource: ";

  private final DeviceManagerConfig config;
  private final InstantSource clock;
  private final CheckpointFile checkpoints;
  private final NumaAffinity affinity;
  private final RegistrationServer server;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Inventory inventory = Inventory.EMPTY;
  private Allocations allocations = Allocations.EMPTY;
  private SortedMap<Long, PluginConnection> connections = new TreeMap<>();
  private Set<ContainerKey> running = Set.of();
  private boolean sourcesReady;
  private boolean closed;

  /// Keeps one write of the checkpoint after the other, each with the newest state; never taken
  /// inside `lock`.
  private final ReentrantLock writing = new ReentrantLock();

  /// Makes a manager; nothing is touched before [#start].
  public DeviceManager(DeviceManagerConfig config, InstantSource clock) {
    this(config, clock, NumaAffinity.NONE);
  }

  /// Makes a manager that asks a topology manager for the NUMA nodes of each container.
  public DeviceManager(DeviceManagerConfig config, InstantSource clock, NumaAffinity affinity) {
    this.config = config;
    this.clock = clock;
    this.affinity = affinity;
    checkpoints = new CheckpointFile(config.devicePluginDir());
    server =
        new RegistrationServer(
            config.devicePluginDir(),
            new Timeouts(config.dialTimeout(), config.allocateTimeout(), config.preStartTimeout()),
            new PluginEvents());
  }

  /// Reads the checkpoint, removes stale sockets, listens on `kubelet.sock`.
  ///
  /// @param containersRunning containers that the runtime reports as running: they keep running
  ///   whatever the plugins say
  /// @throws IOException when the directory cannot be used; names it
  public void start(Set<ContainerKey> containersRunning) throws IOException {
    Optional<Checkpoint> found = checkpoints.read();
    lock.lock();
    try {
      running = Set.copyOf(containersRunning);
      found.ifPresent(this::restore);
    } finally {
      lock.unlock();
    }
    server.start();
  }

  private void restore(Checkpoint checkpoint) {
    Set<ResourceName> known = new TreeSet<>();
    if (checkpoint.registered() != null)
      for (String name : checkpoint.registered().keySet())
        if (ResourceName.problemOf(name).isEmpty()) known.add(ResourceName.of(name));
    inventory = Inventory.restored(known, clock.instant());
    if (checkpoint.entries() != null)
      for (Checkpoint.Entry entry : checkpoint.entries()) {
        try {
          restore(entry);
        } catch (IOException | IllegalArgumentException | ArithmeticException e) {
          LOG.log(
              System.Logger.Level.WARNING,
              "checkpoint entry skipped pod="
                  + entry.podUid()
                  + " resource="
                  + entry.resource()
                  + " reason="
                  + e.getMessage());
        }
      }
  }

  private void restore(Checkpoint.Entry entry) throws IOException {
    if (entry.answer() == null) return;
    SortedMap<Integer, SortedSet<DeviceId>> devices = new TreeMap<>();
    if (entry.devices() != null)
      entry
          .devices()
          .forEach((node, ids) -> {
            if (ids != null) {
              SortedSet<DeviceId> onNode = new TreeSet<>();
              ids.forEach(id -> onNode.add(DeviceId.of(id)));
              devices.put(Math.toIntExact(node), onNode);
            }
          });
    var key =
        new Allocations.Key(entry.podUid(), entry.container(), ResourceName.of(entry.resource()));
    var answer =
        Messages.edits(
            ContainerAllocateResponse.parseFrom(Base64.getDecoder().decode(entry.answer())));
    allocations = allocations.with(key, new Allocations.Held(devices, Optional.of(answer)));
  }

  /// A container of a pod.
  public record ContainerKey(String podUid, String container) {}

  /// All pods that should run here at a start are known now; until then a running container is not
  /// re-allocated.
  public void sourcesReady() {
    lock.lock();
    try {
      sourcesReady = true;
    } finally {
      lock.unlock();
    }
  }

  /// Decides about a pod and reserves the devices of all its containers. Asking again for an
  /// admitted pod keeps what it has. Not to be called for one pod from two threads at once.
  public Admission admit(PodSpec pod) {
    Optional<Admission.Refused> unknown = refusedForUnknownResource(pod);
    if (unknown.isPresent()) return unknown.get();
    boolean gotNew = false;
    try {
      for (ContainerSpec container : allContainers(pod)) gotNew |= allocate(pod, container);
      if (gotNew) writeCheckpoint();
    } catch (IOException e) {
      release(pod.uid());
      var refused =
          new Admission.Refused(
              REJECTED, "Allocate failed due to " + e.getMessage() + ", which is unexpected");
      LOG.log(
          System.Logger.Level.WARNING,
          "pod refused pod={0}/{1} reason={2} message={3}",
          pod.namespace(),
          pod.name(),
          refused.reason(),
          refused.message());
      return refused;
    }
    return new Admission.Admitted();
  }

  private static List<ContainerSpec> allContainers(PodSpec pod) {
    return Stream.concat(pod.initContainers().stream(), pod.containers().stream()).toList();
  }

  /// A resource that no plugin ever listed here. Upstream takes it for a resource of the whole
  /// cluster, which a scheduler has counted; where no scheduler stands before the node, letting the
  /// pod run without its devices would be a lie.
  private Optional<Admission.Refused> refusedForUnknownResource(PodSpec pod) {
    for (ContainerSpec container : allContainers(pod))
      for (Map.Entry<ResourceName, Long> limit : container.limits().entrySet()) {
        ResourceName name = limit.getKey();
        if (limit.getValue() > 0 && !isOurs(name))
          return Optional.of(
              new Admission.Refused(
                  "OutOf" + name,
                  "Node didn't have enough resource: %s, requested: %d, used: 0, capacity: 0"
                      .formatted(name, limit.getValue())));
      }
    return Optional.empty();
  }

  /// Whether a plugin ever listed devices of this resource here, as far as anybody remembers.
  private boolean isOurs(ResourceName name) {
    return inventory().find(name).filter(ResourceState::everListed).isPresent()
        || !allocations().devicesOf(name).isEmpty();
  }

  /// Gives one container its devices of all resources.
  ///
  /// @return whether it got some that it did not hold before
  private boolean allocate(PodSpec pod, ContainerSpec container) throws IOException {
    boolean gotNew = false;
    for (Map.Entry<ResourceName, Long> limit : container.limits().entrySet())
      if (limit.getValue() > 0 || isOurs(limit.getKey()))
        gotNew |= allocate(pod, container, limit.getKey(), limit.getValue());
    return gotNew;
  }

  private boolean allocate(PodSpec pod, ContainerSpec container, ResourceName resource, long count)
      throws IOException {
    var key = new Allocations.Key(pod.uid(), container.name(), resource);
    Optional<Set<DeviceId>> preferred = Optional.empty();
    while (true) {
      switch (decideAndReserve(pod, container, key, count, preferred)) {
        case Decision.Keep _ -> {
          return false;
        }
        case Decision.Refusal refusal -> throw new IOException(refusal.why());
        case Decision.AskPlugin ask ->
            preferred =
                Optional.of(
                    connection(resource)
                        .orElseThrow(() -> new IOException(NO_ENDPOINT + resource))
                        .preferred(ask.available(), ask.mustInclude(), ask.size()));
        case Decision.Grant grant -> {
          askPlugin(key, grant.devices());
          return true;
        }
      }
    }
  }

  private Decision decideAndReserve(
      PodSpec pod,
      ContainerSpec container,
      Allocations.Key key,
      long count,
      Optional<Set<DeviceId>> preferred) {
    lock.lock();
    try {
      if (closed) return new Decision.Refusal("the device manager is stopped");
      boolean runsAlready =
          !sourcesReady && running.contains(new ContainerKey(pod.uid(), container.name()));
      var request =
          new Request(
              key,
              count,
              reusable(pod, container, key.resource()),
              runsAlready,
              affinity.nodesFor(pod.uid(), container.name()),
              connection(key.resource()).filter(PluginConnection::hasPreference).isPresent(),
              preferred);
      Decision decision = Allocator.decide(inventory, allocations, request);
      if (decision instanceof Decision.Grant grant)
        allocations = allocations.with(key, reservation(key, grant));
      return decision;
    } finally {
      lock.unlock();
    }
  }

  private Allocations.Held reservation(Allocations.Key key, Decision.Grant grant) {
    Map<DeviceId, Device> all = inventory.find(key.resource()).orElseThrow().devices();
    SortedMap<Integer, SortedSet<DeviceId>> byNode = new TreeMap<>();
    for (DeviceId id : grant.devices()) {
      Device device = all.get(id);
      Set<Integer> nodes =
          device == null || device.numaNodes().isEmpty() ? Set.of(-1) : device.numaNodes();
      for (int node : nodes) byNode.computeIfAbsent(node, _ -> new TreeSet<>()).add(id);
    }
    return new Allocations.Held(byNode, Optional.empty());
  }

  /// What regular init containers before this one held and no sidecar or app container took since.
  private SortedSet<DeviceId> reusable(
      PodSpec pod, ContainerSpec container, ResourceName resource) {
    SortedSet<DeviceId> reusable = new TreeSet<>();
    for (ContainerSpec each : allContainers(pod)) {
      if (each.name().equals(container.name())) break;
      var held =
          allocations
              .find(new Allocations.Key(pod.uid(), each.name(), resource))
              .map(Allocations.Held::devices);
      boolean regularInit = pod.initContainers().contains(each) && !each.sidecar();
      if (regularInit) held.ifPresent(reusable::addAll);
      else held.ifPresent(reusable::removeAll);
    }
    return reusable;
  }

  private void askPlugin(Allocations.Key key, SortedSet<DeviceId> devices) throws IOException {
    try {
      PluginConnection plugin =
          connection(key.resource())
              .orElseThrow(() -> new IOException("unknown Device Plugin " + key.resource()));
      commit(key, plugin.allocate(devices));
    } catch (IOException e) {
      update(table -> table.without(key::equals));
      throw e;
    }
  }

  private void commit(Allocations.Key key, ContainerEdits answer) throws IOException {
    lock.lock();
    try {
      Allocations.Held reserved =
          allocations
              .find(key)
              .orElseThrow(() ->
                  new IOException(
                      "pod \"%s\" ended while the plugin of %s was asked"
                          .formatted(key.podUid(), key.resource())));
      allocations =
          allocations.with(
              key, new Allocations.Held(reserved.devicesByNode(), Optional.of(answer)));
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// The newest connected plugin of a resource.
  private Optional<PluginConnection> connection(ResourceName resource) {
    lock.lock();
    try {
      return inventory
          .find(resource)
          .filter(state -> !state.plugins().isEmpty())
          .flatMap(state ->
              Optional.ofNullable(connections.get(state.plugins().getLast().connection())));
    } finally {
      lock.unlock();
    }
  }

  /// What the container gets; calls PreStartContainer where the plugin wants it. To be called
  /// before each start of the container. What was allocated for it is used again, whatever became
  /// of the devices and their plugins; only what is missing is allocated.
  ///
  /// @return empty when the container has no devices
  /// @throws IOException when the plugin refuses or cannot be reached; the start has to be tried
  ///   again later
  public Optional<ContainerEdits> runOptions(PodSpec pod, String containerName) throws IOException {
    ContainerSpec container =
        allContainers(pod).stream()
            .filter(each -> each.name().equals(containerName))
            .findFirst()
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "pod " + pod.name() + " has no container " + containerName));
    if (!holdsAll(pod, container) && allocate(pod, container)) writeCheckpoint();
    for (Map.Entry<ResourceName, Long> limit : container.limits().entrySet())
      if (limit.getValue() > 0 && isOurs(limit.getKey()))
        preStart(new Allocations.Key(pod.uid(), containerName, limit.getKey()));
    List<ContainerEdits> answers = allocations().answersFor(pod.uid(), containerName);
    if (answers.isEmpty()) return Optional.empty();
    var merged = MergedAnswers.of(answers);
    for (String conflict : merged.conflicts())
      LOG.log(
          System.Logger.Level.WARNING,
          "plugins disagree pod={0}/{1} container={2} kept={3}",
          pod.namespace(),
          pod.name(),
          containerName,
          conflict);
    return Optional.of(merged.edits());
  }

  private boolean holdsAll(PodSpec pod, ContainerSpec container) {
    Allocations now = allocations();
    return container.limits().entrySet().stream()
        .filter(limit -> limit.getValue() > 0)
        .map(limit -> new Allocations.Key(pod.uid(), container.name(), limit.getKey()))
        .allMatch(key -> now.find(key).isPresent());
  }

  private void preStart(Allocations.Key key) throws IOException {
    ResourceState state =
        inventory()
            .find(key.resource())
            .orElseThrow(() -> new IOException(NO_ENDPOINT + key.resource()));
    if (!state.wantsPreStart()) return;
    PluginConnection plugin =
        connection(key.resource())
            .orElseThrow(() ->
                new IOException(
                    "device plugin PreStartContainer rpc failed with err: endpoint of "
                        + key.resource()
                        + " has been stopped"));
    SortedSet<DeviceId> devices =
        allocations()
            .find(key)
            .map(Allocations.Held::devices)
            .orElseThrow(() ->
                new IOException(
                    "no devices found allocated in local cache for pod %s, container %s, resource %s"
                        .formatted(key.podUid(), key.container(), key.resource())));
    plugin.preStart(devices);
  }

  /// The pod ended or was taken away: its devices are free.
  public void release(String podUid) {
    boolean freed;
    lock.lock();
    try {
      Allocations before = allocations;
      allocations = allocations.without(key -> key.podUid().equals(podUid));
      freed = before.held().size() != allocations.held().size();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (freed) tryWriteCheckpoint();
  }

  /// Capacity and allocatable now.
  public NodeResources nodeResources() {
    boolean expired;
    NodeResources now;
    lock.lock();
    try {
      Inventory before = inventory;
      inventory = inventory.expired(clock.instant(), config.endpointGrace());
      expired = before.gone().size() != inventory.gone().size();
      now = new NodeResources(inventory.capacity(), inventory.allocatable());
    } finally {
      lock.unlock();
    }
    if (expired) tryWriteCheckpoint();
    return now;
  }

  /// Waits until the node's resources are as the condition wants them.
  ///
  /// @return whether they were in that time
  public boolean awaitResources(Predicate<NodeResources> condition, Duration atMost)
      throws InterruptedException {
    long nanos = atMost.toNanos();
    lock.lockInterruptibly();
    try {
      while (!condition.test(new NodeResources(inventory.capacity(), inventory.allocatable()))) {
        if (nanos <= 0) return false;
        nanos = changed.awaitNanos(nanos);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /// Which container holds which devices: pod uid, container name, resource, ids.
  public SortedMap<String, SortedMap<String, SortedMap<ResourceName, SortedSet<DeviceId>>>> held() {
    SortedMap<String, SortedMap<String, SortedMap<ResourceName, SortedSet<DeviceId>>>> all =
        new TreeMap<>();
    allocations()
        .held()
        .forEach((key, share) ->
            all.computeIfAbsent(key.podUid(), _ -> new TreeMap<>())
                .computeIfAbsent(key.container(), _ -> new TreeMap<>())
                .put(key.resource(), share.devices()));
    return Collections.unmodifiableSortedMap(all);
  }

  private Inventory inventory() {
    lock.lock();
    try {
      return inventory;
    } finally {
      lock.unlock();
    }
  }

  private Allocations allocations() {
    lock.lock();
    try {
      return allocations;
    } finally {
      lock.unlock();
    }
  }

  private void update(UnaryOperator<Allocations> change) {
    lock.lock();
    try {
      allocations = change.apply(allocations);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void updateInventory(UnaryOperator<Inventory> change) {
    lock.lock();
    try {
      inventory = change.apply(inventory);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void writeCheckpoint() throws IOException {
    writing.lock();
    try {
      checkpoints.write(checkpoint());
    } finally {
      writing.unlock();
    }
  }

  private void tryWriteCheckpoint() {
    try {
      writeCheckpoint();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.ERROR, "checkpoint not written reason=" + e.getMessage());
    }
  }

  private Checkpoint checkpoint() {
    Inventory nowThere;
    Allocations nowHeld;
    lock.lock();
    try {
      nowThere = inventory;
      nowHeld = allocations;
    } finally {
      lock.unlock();
    }
    List<Checkpoint.Entry> entries = new ArrayList<>();
    nowHeld
        .held()
        .forEach((key, share) ->
            share.answer().ifPresent(answer -> entries.add(entry(key, share, answer))));
    SortedMap<String, List<String>> registered = new TreeMap<>();
    nowThere
        .resources()
        .forEach((name, state) ->
            registered.put(
                name.toString(), state.healthy().stream().map(DeviceId::value).toList()));
    return new Checkpoint(
        entries.isEmpty() ? null : entries, Collections.unmodifiableSortedMap(registered));
  }

  private static Checkpoint.Entry entry(
      Allocations.Key key, Allocations.Held share, ContainerEdits answer) {
    SortedMap<Long, List<String>> devices = new TreeMap<>();
    share
        .devicesByNode()
        .forEach((node, ids) ->
            devices.put(node.longValue(), ids.stream().map(DeviceId::value).toList()));
    return new Checkpoint.Entry(
        key.podUid(),
        key.container(),
        key.resource().toString(),
        Collections.unmodifiableSortedMap(devices),
        Base64.getEncoder().encodeToString(Messages.message(answer).toByteArray()));
  }

  /// Stops listening and drops all plugins; what was allocated stays in the checkpoint. May be
  /// called twice.
  @Override
  public void close() {
    List<PluginConnection> open;
    lock.lock();
    try {
      closed = true;
      open = List.copyOf(connections.values());
      connections = new TreeMap<>();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    open.forEach(PluginConnection::close);
    server.close();
  }

  /// What plugins do.
  private final class PluginEvents implements RegistrationServer.Plugins {
    @Override
    public void connected(PluginConnection connection) {
      boolean tooLate;
      lock.lock();
      try {
        tooLate = closed;
        if (!closed) {
          connections.put(connection.number(), connection);
          inventory =
              inventory.connected(
                  connection.resource(), connection.number(), connection.wantsPreStart());
        }
      } finally {
        lock.unlock();
      }
      if (tooLate) connection.close();
    }

    @Override
    public void listed(PluginConnection connection, Messages.Listed list) {
      updateInventory(
          now -> now.listed(connection.resource(), connection.number(), list.devices()));
      tryWriteCheckpoint();
    }

    @Override
    public void ended(PluginConnection connection, String why) {
      boolean wasKnown;
      lock.lock();
      try {
        wasKnown = connections.remove(connection.number()) != null;
        inventory =
            inventory.disconnected(connection.resource(), connection.number(), clock.instant());
        changed.signalAll();
      } finally {
        lock.unlock();
      }
      if (wasKnown)
        LOG.log(
            System.Logger.Level.WARNING,
            "plugin gone resource=" + connection.resource() + " reason=" + why);
      // Not on this thread, which is the connection's own.
      Thread.ofVirtual().start(connection::close);
    }
  }
}
