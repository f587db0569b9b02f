package dev.patchbay.kubelet;

import dev.patchbay.kubelet.allocation.Allocations;
import dev.patchbay.kubelet.allocation.Allocations.Held;
import dev.patchbay.kubelet.inventory.Inventory;
import dev.patchbay.kubelet.inventory.ResourceState;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Devices and who holds them at one instant. Immutable; to look at it costs no lock.
public record DeviceState(Inventory inventory, Allocations allocations) {
  /// Numbers of one resource's devices.
  ///
  /// @param endpoint whether a plugin serves it, or did within the grace period, or an earlier
  ///   kubelet knew it
  /// @param stopped whether no plugin serves it now
  public record Counts(
      int all, int healthy, int unhealthy, int allocated, boolean endpoint, boolean stopped) {}

  /// Whether a plugin ever listed devices of this resource here, as far as anybody remembers, or a
  /// container holds some: other resources are none of the device manager's business.
  public boolean knows(ResourceName name) {
    return inventory.find(name).filter(ResourceState::everListed).isPresent()
        || allocations.isHeld(name);
  }

  /// All devices of a resource as they were listed last, by id; empty when there are none.
  public Collection<Device> listed(ResourceName name) {
    return inventory.find(name).map(state -> state.devices().values()).orElse(List.of());
  }

  /// One device as it was listed last.
  public Optional<Device> device(ResourceName name, DeviceId id) {
    return inventory.find(name).flatMap(state -> Optional.ofNullable(state.devices().get(id)));
  }

  /// The devices of every resource that can be given away, by id; no resource without one.
  public SortedMap<ResourceName, List<Device>> allocatable() {
    SortedMap<ResourceName, List<Device>> all = new TreeMap<>();
    inventory
        .resources()
        .forEach((name, state) -> {
          List<Device> healthy =
              state.healthy().stream().map(id -> state.devices().get(id)).toList();
          if (!healthy.isEmpty()) all.put(name, healthy);
        });
    return all;
  }

  /// What a pod's containers hold: container, resource, share with the nodes that the devices had
  /// when they were given. Shares that the plugin has not answered for yet are among them.
  public SortedMap<String, SortedMap<ResourceName, Held>> heldBy(String podUid) {
    return allocations.ofPod(podUid);
  }

  /// Pods that hold devices.
  public SortedSet<String> holders() {
    return allocations.pods();
  }

  /// Pods that hold devices of a resource which a newer inventory shows for the first time or with
  /// another health.
  SortedSet<String> owners(ResourceName name, Inventory newer) {
    SortedSet<String> uids = new TreeSet<>();
    var listed = newer.find(name).map(ResourceState::devices).orElse(new TreeMap<>());
    allocations
        .held()
        .forEach((key, share) -> {
          if (key.resource().equals(name)
              && share.devices().stream().anyMatch(id -> differs(name, id, listed.get(id))))
            uids.add(key.podUid());
        });
    return uids;
  }

  private boolean differs(ResourceName name, DeviceId id, @Nullable Device now) {
    return now != null
        && device(name, id)
            .filter(before -> before.health().isHealthy() == now.health().isHealthy())
            .isEmpty();
  }

  /// Numbers of a resource's devices; empty when nobody knows it.
  public Optional<Counts> counts(ResourceName name) {
    Optional<ResourceState> found = inventory.find(name);
    int allocated = allocations.devicesOf(name).size();
    if (found.isEmpty())
      return allocations.isHeld(name)
          ? Optional.of(new Counts(0, 0, 0, allocated, false, true))
          : Optional.empty();
    ResourceState state = found.get();
    int all = state.devices().size();
    int healthy = state.healthy().size();
    return Optional.of(
        new Counts(all, healthy, all - healthy, allocated, true, state.stoppedAt().isPresent()));
  }
}
