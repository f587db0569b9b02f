package dev.patchbay.kubelet;

import dev.patchbay.kubelet.DeviceManager.ContainerKey;
import dev.patchbay.kubelet.allocation.Allocations;
import dev.patchbay.kubelet.allocation.Decision;
import dev.patchbay.kubelet.inventory.DeviceTable;
import dev.patchbay.kubelet.inventory.Inventory;
import dev.patchbay.kubelet.inventory.ResourceState;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.registration.PluginConnection;
import dev.patchbay.kubelet.topology.HintSource;
import dev.patchbay.kubelet.topology.Merged;
import dev.patchbay.kubelet.topology.TopologyHint;
import dev.patchbay.kubelet.topology.TopologyPolicy;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/// What the node has, who holds it and which plugins are connected: the one place where it changes.
///
/// Inventory and allocations are immutable values, exchanged under one lock. Each method is one
/// whole step; none writes a file, calls a plugin or logs.
final class DeviceLedger {
  /// Why nothing is given any more after [#close].
  static final String STOPPED = "the device manager is stopped";

  /// The uid of no pod, which holds devices that are lost; see
  /// [Quirk#FAILED_PREFERENCES_KEEP_DEVICES].
  private static final String NOBODY = "";

  private final TopologyPolicy topology;
  private final Set<Quirk> quirks;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private long changes; // signalled so far
  private Inventory inventory = Inventory.EMPTY;
  private Allocations allocations = Allocations.EMPTY;
  private HostState host;
  private SortedMap<Long, PluginConnection> connections = new TreeMap<>();
  private final Map<ContainerKey, TopologyHint> affinities = new HashMap<>();
  private Set<ContainerKey> running = Set.of();
  private boolean sourcesReady;
  private boolean closed;

  DeviceLedger(TopologyPolicy topology, HostState host, Set<Quirk> quirks) {
    this.topology = topology;
    this.quirks = quirks;
    this.host = host;
  }

  /// CPUs and memory of containers, as they are now.
  HostState host() {
    lock.lock();
    try {
      return host;
    } finally {
      lock.unlock();
    }
  }

  /// Takes the CPUs and memory that an earlier kubelet left to containers.
  void restore(HostState found) {
    lock.lock();
    try {
      host = found;
    } finally {
      lock.unlock();
    }
  }

  /// A container of the pod is started: memory of the init containers before it is free.
  void started(PodSpec pod, String container) {
    lock.lock();
    try {
      host = host.started(pod, container);
    } finally {
      lock.unlock();
    }
  }

  /// Everything as it is now.
  DeviceState now() {
    lock.lock();
    try {
      return new DeviceState(inventory, allocations);
    } finally {
      lock.unlock();
    }
  }

  /// Takes what an earlier kubelet left, in place of what is here.
  void restore(DeviceState found) {
    lock.lock();
    try {
      inventory = found.inventory();
      allocations = found.allocations();
    } finally {
      lock.unlock();
    }
  }

  /// Containers that keep running whatever the plugins say, until [#sourcesReady].
  void running(Set<ContainerKey> containers) {
    lock.lock();
    try {
      running = Set.copyOf(containers);
    } finally {
      lock.unlock();
    }
  }

  /// All pods that should run here at a start are known now.
  void sourcesReady(boolean ready) {
    lock.lock();
    try {
      sourcesReady = ready;
    } finally {
      lock.unlock();
    }
  }

  /// Gives containers of a pod their places: where all their resources should lie together, as the
  /// topology manager says, and devices there, all in one step. Nobody else gets these devices from
  /// here on; [#reserve] may exchange them before they are allocated.
  ///
  /// @param together containers that are placed in this step: one, or all of the pod
  /// @return why the pod is refused; then nothing is given
  Optional<Admission.Refused> place(PodSpec pod, List<ContainerSpec> together) {
    lock.lock();
    try {
      if (closed) return Optional.of(Admission.unexpected(STOPPED));
      List<HintSource> sources = new ArrayList<>();
      sources.add(new DevicePlaces(now(), topology.deviceHints()));
      sources.addAll(host.hintSources());
      Merged merged =
          topology.merge(
              switch (topology.scope()) {
                case NONE -> List.of();
                case CONTAINER ->
                    sources.stream().map(each -> each.hints(pod, together.getFirst())).toList();
                case POD -> sources.stream().map(each -> each.podHints(pod)).toList();
              });
      if (!merged.admitted())
        return Optional.of(new Admission.Refused(Merged.REFUSAL_REASON, Merged.REFUSAL_MESSAGE));
      if (topology.scope() != TopologyPolicy.Scope.NONE)
        for (ContainerSpec container : together)
          affinities.put(new ContainerKey(pod.uid(), container.name()), merged.hint());
      Trial trial = trial();
      Optional<Admission.Refused> refusal = trial.reserve(pod, together);
      if (refusal.isEmpty()) take(trial);
      return refusal;
    } finally {
      lock.unlock();
    }
  }

  private Trial trial() {
    return new Trial(now(), host, quirks, new Known());
  }

  private void take(Trial trial) {
    allocations = trial.allocations();
    host = trial.host();
  }

  /// Decides about a demand and reserves what is granted, in place of what was reserved for it
  /// before: nobody else gets these devices from here on, and [#commit] or [#cancel] has to follow.
  /// Later containers of the pod for which something is reserved get theirs anew, since they take
  /// over what this one has. While the plugin is asked what it prefers, the devices that it would
  /// get without a preference are reserved.
  ///
  /// @param preference the plugin's; empty before it was asked
  Decision reserve(Demand demand, Optional<Preference> preference) {
    lock.lock();
    try {
      if (closed) return new Decision.Refusal(STOPPED);
      if (preference.isPresent() && allocations.find(demand.key()).isEmpty())
        return new Decision.Refusal(ended(demand.key()));
      Trial trial = trial();
      Decision decision = trial.reserve(demand, preference);
      take(trial);
      return decision;
    } finally {
      lock.unlock();
    }
  }

  /// What a step goes by, under the lock.
  private final class Known implements Trial.Known {
    @Override
    public boolean keepsRunning(ContainerKey container) {
      return !sourcesReady && running.contains(container);
    }

    @Override
    public TopologyHint affinity(ContainerKey container) {
      return DeviceLedger.this.affinity(container);
    }

    @Override
    public boolean hasPreference(ResourceName resource) {
      return connection(resource).filter(PluginConnection::hasPreference).isPresent();
    }
  }

  /// Where the topology manager wanted a container's resources to lie; no mask and not preferred
  /// when it was not asked.
  TopologyHint affinity(ContainerKey container) {
    lock.lock();
    try {
      return affinities.getOrDefault(container, TopologyHint.NONE);
    } finally {
      lock.unlock();
    }
  }

  /// The plugin answered: what was reserved is held now.
  ///
  /// @throws IOException when the pod ended meanwhile
  void commit(Allocations.Key key, ContainerEdits answer) throws IOException {
    lock.lock();
    try {
      Allocations.Held reserved =
          allocations.find(key).orElseThrow(() -> new IOException(ended(key)));
      allocations = allocations.with(key, reserved.answered(answer));
      signalChange();
    } finally {
      lock.unlock();
    }
  }

  /// The plugin did not say which devices it prefers.
  ///
  /// @param chosen those that the container would have got in any case
  void preferenceFailed(ResourceName resource, Set<DeviceId> chosen) {
    if (!quirks.contains(Quirk.FAILED_PREFERENCES_KEEP_DEVICES) || chosen.isEmpty()) return;
    lock.lock();
    try {
      var key = new Allocations.Key(NOBODY, NOBODY, resource);
      Set<DeviceId> lost = new HashSet<>(chosen);
      allocations.find(key).map(Allocations.Held::devices).ifPresent(lost::addAll);
      DeviceTable listed = inventory.find(resource).orElseThrow().table();
      allocations = allocations.with(key, Allocations.Held.reserved(lost, listed));
    } finally {
      lock.unlock();
    }
  }

  private static String ended(Allocations.Key key) {
    return "pod \"%s\" ended while the plugin of %s was asked"
        .formatted(key.podUid(), key.resource());
  }

  /// What was reserved, and the plugin has not answered for, is free again.
  void unreserve(Allocations.Key key) {
    lock.lock();
    try {
      if (allocations.find(key).filter(share -> share.answer().isEmpty()).isEmpty()) return;
      allocations = allocations.without(key);
      signalChange();
    } finally {
      lock.unlock();
    }
  }

  /// The plugin refused: what was reserved is free again.
  void cancel(Allocations.Key key) {
    lock.lock();
    try {
      allocations = allocations.without(key).withoutPod(NOBODY);
      signalChange();
    } finally {
      lock.unlock();
    }
  }

  /// Frees all devices of a pod.
  ///
  /// @return whether it held any
  boolean release(String podUid) {
    lock.lock();
    try {
      Allocations before = allocations;
      boolean hadSome =
          before.byPod().getOrDefault(podUid, new TreeMap<>()).values().stream()
              .anyMatch(share -> share.answer().isPresent());
      allocations = allocations.withoutPod(podUid);
      if (hadSome) allocations = allocations.withoutPod(NOBODY);
      host = host.release(podUid);
      affinities.keySet().removeIf(container -> container.podUid().equals(podUid));
      signalChange();
      return allocations != before;
    } finally {
      lock.unlock();
    }
  }

  /// Frees what pods hold that are not active, once all pods are known. A pod is known before
  /// anything is reserved for it, so nothing is taken from one that is being admitted.
  ///
  /// @return whether there was any
  boolean retain(KnownPods pods) {
    lock.lock();
    try {
      if (!sourcesReady) return false;
      Set<String> active = pods.activeUids();
      Allocations before = allocations;
      Set<String> keeping = new HashSet<>(active);
      keeping.add(NOBODY);
      allocations = allocations.retaining(keeping);
      host = host.retain(pods.active());
      affinities.keySet().removeIf(container -> !active.contains(container.podUid()));
      if (allocations == before) return false;
      allocations = allocations.withoutPod(NOBODY);
      signalChange();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /// What the node's status is told; names of removed resources are told once.
  DeviceCapacity capacity() {
    lock.lock();
    try {
      var report =
          new DeviceCapacity(
              inventory.listedCapacity(), inventory.listedAllocatable(), inventory.unreported());
      inventory = inventory.reported();
      return report;
    } finally {
      lock.unlock();
    }
  }

  /// Makes the stop of a resource's plugin look so much older.
  boolean age(ResourceName resource, Duration by) {
    lock.lock();
    try {
      boolean stopped = inventory.find(resource).flatMap(ResourceState::stoppedAt).isPresent();
      inventory = inventory.aged(resource, by);
      return stopped;
    } finally {
      lock.unlock();
    }
  }

  /// The newest connected plugin of a resource.
  Optional<PluginConnection> connection(ResourceName resource) {
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

  /// All connected plugins of a resource.
  List<PluginConnection> connections(ResourceName resource) {
    lock.lock();
    try {
      return connections.values().stream()
          .filter(each -> each.resource().equals(resource))
          .toList();
    } finally {
      lock.unlock();
    }
  }

  /// A plugin was connected.
  ///
  /// @return false when it is too late: the ledger is closed and the connection is the caller's
  boolean connected(PluginConnection connection) {
    lock.lock();
    try {
      if (closed) return false;
      connections.put(connection.number(), connection);
      inventory =
          inventory.connected(
              connection.resource(), connection.number(), connection.wantsPreStart());
      return true;
    } finally {
      lock.unlock();
    }
  }

  /// A plugin sent its full list.
  ///
  /// @return the pods that hold devices of it which appeared or whose health changed
  SortedSet<String> listed(PluginConnection connection, DeviceTable devices) {
    Inventory before;
    DeviceState after;
    lock.lock();
    try {
      before = inventory;
      inventory = inventory.listed(connection.resource(), connection.number(), devices);
      inventory
          .find(connection.resource())
          .ifPresent(
              state -> allocations = allocations.readyFor(connection.resource(), state.table()));
      signalChange();
      after = now();
    } finally {
      lock.unlock();
    }
    return after.owners(connection.resource(), before);
  }

  /// A plugin's stream ended.
  ///
  /// @return whether it was among the connected ones; false after [#close]
  boolean ended(PluginConnection connection, Instant when) {
    lock.lock();
    try {
      boolean wasKnown = connections.remove(connection.number()) != null;
      inventory = inventory.disconnected(connection.resource(), connection.number(), when);
      signalChange();
      return wasKnown;
    } finally {
      lock.unlock();
    }
  }

  /// Forgets the devices of plugins that are gone for longer than the grace period.
  ///
  /// @return whether there were any
  boolean expire(Instant now, Duration grace) {
    lock.lock();
    try {
      Inventory before = inventory;
      inventory = inventory.expired(now, grace);
      return before.resources().size() != inventory.resources().size();
    } finally {
      lock.unlock();
    }
  }

  /// Waits until the inventory is as the condition wants it. The condition is tested after each
  /// change, with no lock held.
  ///
  /// @return whether it was in that time
  boolean awaitInventory(Predicate<Inventory> condition, Duration atMost)
      throws InterruptedException {
    long nanos = atMost.toNanos();
    while (true) {
      Inventory seen;
      long seenChanges;
      lock.lockInterruptibly();
      try {
        seen = inventory;
        seenChanges = changes;
      } finally {
        lock.unlock();
      }
      if (condition.test(seen)) return true;
      if (nanos <= 0) return false;
      lock.lockInterruptibly();
      try {
        if (changes == seenChanges) nanos = changed.awaitNanos(nanos);
      } finally {
        lock.unlock();
      }
    }
  }

  /// Grants nothing and takes no plugin any more.
  ///
  /// @return the connections that were open; the caller's to close
  List<PluginConnection> close() {
    lock.lock();
    try {
      closed = true;
      List<PluginConnection> open = List.copyOf(connections.values());
      connections = new TreeMap<>();
      signalChange();
      return open;
    } finally {
      lock.unlock();
    }
  }

  private void signalChange() {
    changes++;
    changed.signalAll();
  }
}
