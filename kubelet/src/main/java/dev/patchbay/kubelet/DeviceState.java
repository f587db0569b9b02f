package dev.patchbay.kubelet;

import dev.patchbay.kubelet.allocation.Allocations;
import dev.patchbay.kubelet.allocation.Allocations.Held;
import dev.patchbay.kubelet.inventory.DeviceTable;
import dev.patchbay.kubelet.inventory.Inventory;
import dev.patchbay.kubelet.inventory.ResourceState;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

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
  public List<Device> listed(ResourceName name) {
    return inventory.find(name).map(state -> state.table().devices()).orElse(List.of());
  }

  /// One device as it was listed last.
  public Optional<Device> device(ResourceName name, DeviceId id) {
    return inventory.find(name).flatMap(state -> state.table().find(id));
  }

  /// The devices of every resource that can be given away, by id; no resource without one.
  public SortedMap<ResourceName, List<Device>> allocatable() {
    SortedMap<ResourceName, List<Device>> all = new TreeMap<>();
    inventory
        .resources()
        .forEach((name, state) -> {
          List<Device> devices = state.table().devices();
          List<Device> healthy = state.healthyPlaces().stream().mapToObj(devices::get).toList();
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

  /// Pods that hold devices of a resource which an older inventory did not have, or had with
  /// another health.
  SortedSet<String> owners(ResourceName name, Inventory older) {
    SortedSet<String> uids = new TreeSet<>();
    if (!allocations.isHeld(name)) return uids;
    DeviceTable after = table(inventory, name);
    BitSet changedAndHeld = after.changedSince(table(older, name));
    changedAndHeld.andNot(allocations.free(name, after, changedAndHeld));
    if (changedAndHeld.isEmpty()) return uids;
    Set<DeviceId> changed = HashSet.newHashSet(changedAndHeld.cardinality());
    changedAndHeld.stream().forEach(place -> changed.add(after.id(place)));
    allocations
        .byPod()
        .forEach((uid, shares) ->
            shares.forEach((key, share) -> {
              if (key.resource().equals(name)
                  && share.devices().stream().anyMatch(changed::contains)) uids.add(uid);
            }));
    return uids;
  }

  private static DeviceTable table(Inventory inventory, ResourceName name) {
    return inventory.find(name).map(ResourceState::table).orElse(DeviceTable.EMPTY);
  }

  /// Numbers of a resource's devices; empty when nobody knows it.
  public Optional<Counts> counts(ResourceName name) {
    Optional<ResourceState> found = inventory.find(name);
    int allocated = allocations.countOf(name);
    if (found.isEmpty())
      return allocations.isHeld(name)
          ? Optional.of(new Counts(0, 0, 0, allocated, false, true))
          : Optional.empty();
    ResourceState state = found.get();
    int all = state.table().size();
    int healthy = state.healthyCount();
    return Optional.of(
        new Counts(all, healthy, all - healthy, allocated, true, state.stoppedAt().isPresent()));
  }
}
