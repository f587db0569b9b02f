package dev.patchbay.kubelet;

import dev.patchbay.kubelet.DeviceManager.ContainerKey;
import dev.patchbay.kubelet.allocation.Allocations;
import dev.patchbay.kubelet.allocation.Allocator;
import dev.patchbay.kubelet.allocation.Decision;
import dev.patchbay.kubelet.allocation.Request;
import dev.patchbay.kubelet.inventory.Inventory;
import dev.patchbay.kubelet.registration.PluginConnection;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private long changes; // signalled so far
  private Inventory inventory = Inventory.EMPTY;
  private Allocations allocations = Allocations.EMPTY;
  private SortedMap<Long, PluginConnection> connections = new TreeMap<>();
  private Set<ContainerKey> running = Set.of();
  private boolean sourcesReady;
  private boolean closed;

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

  /// Decides about a demand and reserves what is granted: nobody else gets these devices from here
  /// on, and [#commit] or [#cancel] has to follow.
  ///
  /// @param preferred the plugin's preference; empty before it was asked
  Decision reserve(Demand demand, Optional<Set<DeviceId>> preferred) {
    lock.lock();
    try {
      if (closed) return new Decision.Refusal("the device manager is stopped");
      Decision decision = Allocator.decide(inventory, allocations, request(demand, preferred));
      if (decision instanceof Decision.Grant grant) {
        SortedMap<DeviceId, Device> listed =
            inventory.find(demand.resource()).orElseThrow().devices();
        allocations =
            allocations.with(demand.key(), Allocations.Held.reserved(grant.devices(), listed));
      }
      return decision;
    } finally {
      lock.unlock();
    }
  }

  private Request request(Demand demand, Optional<Set<DeviceId>> preferred) {
    var container = new ContainerKey(demand.pod().uid(), demand.container().name());
    return new Request(
        demand.key(),
        demand.count(),
        demand.reusable(allocations),
        !sourcesReady && running.contains(container),
        demand.nodes(),
        connection(demand.resource()).filter(PluginConnection::hasPreference).isPresent(),
        preferred);
  }

  /// The plugin answered: what was reserved is held now.
  ///
  /// @throws IOException when the pod ended meanwhile
  void commit(Allocations.Key key, ContainerEdits answer) throws IOException {
    lock.lock();
    try {
      Allocations.Held reserved =
          allocations
              .find(key)
              .orElseThrow(() ->
                  new IOException(
                      "pod \"%s\" ended while the plugin of %s was asked"
                          .formatted(key.podUid(), key.resource())));
      allocations = allocations.with(key, reserved.answered(answer));
      signalChange();
    } finally {
      lock.unlock();
    }
  }

  /// The plugin refused: what was reserved is free again.
  void cancel(Allocations.Key key) {
    lock.lock();
    try {
      allocations = allocations.without(key::equals);
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
      allocations = allocations.without(key -> key.podUid().equals(podUid));
      signalChange();
      return before.held().size() != allocations.held().size();
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
      allocations = allocations.without(key -> !active.contains(key.podUid()));
      if (allocations == before) return false;
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
      Inventory before = inventory;
      inventory = inventory.aged(resource, by);
      return inventory != before;
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
  SortedSet<String> listed(PluginConnection connection, SortedMap<DeviceId, Device> devices) {
    lock.lock();
    try {
      DeviceState before = now();
      inventory = inventory.listed(connection.resource(), connection.number(), devices);
      signalChange();
      return before.owners(connection.resource(), inventory);
    } finally {
      lock.unlock();
    }
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
      return before.gone().size() != inventory.gone().size();
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
