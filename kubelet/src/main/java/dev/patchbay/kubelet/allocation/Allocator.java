package dev.patchbay.kubelet.allocation;

import dev.patchbay.kubelet.inventory.DeviceTable;
import dev.patchbay.kubelet.inventory.Inventory;
import dev.patchbay.kubelet.inventory.ResourceState;
import dev.patchbay.model.DeviceId;
import java.util.BitSet;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/// Chooses devices, by the kubelet's rules (`devicesToAllocate`, in the order of its checks).
///
/// A container that holds devices already keeps them if they are as many as it asks for and all
/// healthy. Otherwise it takes what init containers of its pod left, then devices near the chosen
/// NUMA nodes, then the others; where there is a choice, the plugin's preference goes first. Ties
/// go by id, so that the same state always gives the same answer.
public final class Allocator {
  private Allocator() {}

  /// Decides about one request. Changes nothing.
  public static Decision decide(Inventory inventory, Allocations allocations, Request request) {
    String resource = request.resource().toString();
    Optional<SortedSet<DeviceId>> cached =
        allocations.find(request.key()).map(Allocations.Held::devices);
    if (cached.isPresent() && cached.get().size() != request.count())
      return new Decision.Refusal(
          "pod \"%s\" container \"%s\" changed request for resource \"%s\" from %d to %d"
              .formatted(
                  request.key().podUid(),
                  request.key().container(),
                  resource,
                  cached.get().size(),
                  request.count()));
    if (request.runsAlready()) return new Decision.Keep();
    Optional<ResourceState> state =
        inventory.find(request.resource()).filter(ResourceState::everListed);
    if (state.isEmpty())
      return new Decision.Refusal("cannot allocate unregistered device " + resource);
    DeviceTable table = state.get().table();
    BitSet healthy = state.get().healthyPlaces();
    if (healthy.isEmpty())
      return new Decision.Refusal(
          "no healthy devices present; cannot allocate unhealthy devices " + resource);
    if (cached.isPresent() && !areHealthy(cached.get(), table, healthy))
      return new Decision.Refusal(
          "previously allocated devices are no longer healthy; cannot allocate unhealthy devices "
              + resource);
    if (cached.isPresent() || request.count() == 0) return new Decision.Keep();
    return choose(table, allocations, request, healthy);
  }

  private static boolean areHealthy(Collection<DeviceId> ids, DeviceTable table, BitSet healthy) {
    for (DeviceId id : ids) {
      int place = table.placeOf(id);
      if (place < 0 || !healthy.get(place)) return false;
    }
    return true;
  }

  private static Decision choose(
      DeviceTable table, Allocations allocations, Request request, BitSet healthy) {
    var taking = new Taking(table, request.count());
    // Only healthy ones, unlike upstream: a device that broke under the init container is not
    // handed on.
    BitSet reusable = table.placesOf(request.reusable());
    taking.take(reusable, request.reusesBroken() ? reusable : healthy);
    if (taking.isDone()) return taking.grant();

    BitSet available = allocations.free(request.resource(), table, healthy);
    available.andNot(taking.got);
    int free = available.cardinality();
    if (free < taking.missing())
      return new Decision.Refusal(
          "requested number of devices unavailable for %s. Requested: %d, Available: %d"
              .formatted(request.resource(), taking.missing(), free));

    var groups = AffinityGroups.of(table, available, request.nodes());
    boolean choiceIsAmongAligned = taking.missing() < groups.aligned().cardinality();
    if (!choiceIsAmongAligned) {
      taking.take(groups.aligned(), available);
      if (taking.isDone()) return taking.grant();
    }
    BitSet choice = choiceIsAmongAligned ? groups.aligned() : available;
    if (request.hasPreference() && request.preferred().isEmpty()) {
      BitSet offered = (BitSet) choice.clone();
      offered.or(taking.got);
      return new Decision.AskPlugin(
          table.idsAt(offered), table.idsAt(taking.got), (int) request.count());
    }
    taking.take(table.placesOf(request.preferred().orElse(Set.of())), choice);
    taking.take(choiceIsAmongAligned ? groups.aligned() : groups.unaligned(), available);
    taking.take(groups.noAffinity(), available);
    return taking.grant();
  }

  /// Collects devices, those with the lower ids first, until there are enough.
  private static final class Taking {
    private final DeviceTable table;
    private final long wanted;
    private final BitSet got = new BitSet();
    private long missing;

    Taking(DeviceTable table, long wanted) {
      this.table = table;
      this.wanted = wanted;
      missing = wanted;
    }

    void take(BitSet candidates, BitSet permitted) {
      for (int i = candidates.nextSetBit(0);
          i >= 0 && missing > 0;
          i = candidates.nextSetBit(i + 1))
        if (permitted.get(i) && !got.get(i)) {
          got.set(i);
          missing--;
        }
    }

    long missing() {
      return missing;
    }

    boolean isDone() {
      return missing == 0;
    }

    Decision grant() {
      if (isDone()) return new Decision.Grant(table.idsAt(got));
      return new Decision.Refusal(
          "unexpectedly allocated less resources than required. Requested: %d, Got: %d"
              .formatted(wanted, wanted - missing));
    }
  }
}
