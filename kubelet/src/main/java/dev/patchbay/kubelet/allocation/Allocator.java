package dev.patchbay.kubelet.allocation;

import dev.patchbay.kubelet.inventory.Inventory;
import dev.patchbay.kubelet.inventory.ResourceState;
import dev.patchbay.model.DeviceId;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

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
    SortedSet<DeviceId> healthy = state.get().healthy();
    if (healthy.isEmpty())
      return new Decision.Refusal(
          "no healthy devices present; cannot allocate unhealthy devices " + resource);
    if (cached.isPresent() && !healthy.containsAll(cached.get()))
      return new Decision.Refusal(
          "previously allocated devices are no longer healthy; cannot allocate unhealthy devices "
              + resource);
    if (cached.isPresent() || request.count() == 0) return new Decision.Keep();
    return choose(state.get(), allocations, request, healthy);
  }

  private static Decision choose(
      ResourceState state, Allocations allocations, Request request, SortedSet<DeviceId> healthy) {
    var taking = new Taking(request.count());
    // Only healthy ones, unlike upstream: a device that broke under the init container is not
    // handed on.
    taking.take(request.reusable(), healthy);
    if (taking.isDone()) return taking.grant();

    SortedSet<DeviceId> available = new TreeSet<>(healthy);
    available.removeAll(allocations.devicesOf(request.resource()));
    available.removeAll(taking.got);
    if (available.size() < taking.missing())
      return new Decision.Refusal(
          "requested number of devices unavailable for %s. Requested: %d, Available: %d"
              .formatted(request.resource(), taking.missing(), available.size()));

    var groups = AffinityGroups.of(state.devices(), available, request.nodes());
    boolean choiceIsAmongAligned = taking.missing() < groups.aligned().size();
    if (!choiceIsAmongAligned) {
      taking.take(groups.aligned(), available);
      if (taking.isDone()) return taking.grant();
    }
    SortedSet<DeviceId> choice = choiceIsAmongAligned ? groups.aligned() : available;
    if (request.hasPreference() && request.preferred().isEmpty()) {
      SortedSet<DeviceId> offered = new TreeSet<>(choice);
      offered.addAll(taking.got);
      return new Decision.AskPlugin(offered, new TreeSet<>(taking.got), (int) request.count());
    }
    taking.take(new TreeSet<>(request.preferred().orElse(Set.of())), choice);
    taking.take(choiceIsAmongAligned ? groups.aligned() : groups.unaligned(), available);
    taking.take(groups.noAffinity(), available);
    return taking.grant();
  }

  /// Collects devices until there are enough.
  private static final class Taking {
    private final long wanted;
    private final SortedSet<DeviceId> got = new TreeSet<>();

    Taking(long wanted) {
      this.wanted = wanted;
    }

    void take(Collection<DeviceId> candidates, Set<DeviceId> permitted) {
      for (DeviceId id : candidates) if (!isDone() && permitted.contains(id)) got.add(id);
    }

    long missing() {
      return wanted - got.size();
    }

    boolean isDone() {
      return got.size() == wanted;
    }

    Decision grant() {
      if (isDone()) return new Decision.Grant(got);
      return new Decision.Refusal(
          "unexpectedly allocated less resources than required. Requested: %d, Got: %d"
              .formatted(wanted, got.size()));
    }
  }
}
