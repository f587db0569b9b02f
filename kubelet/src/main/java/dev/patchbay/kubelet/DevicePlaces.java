package dev.patchbay.kubelet;

import dev.patchbay.kubelet.allocation.Allocations;
import dev.patchbay.kubelet.inventory.DeviceTable;
import dev.patchbay.kubelet.inventory.ResourceState;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.topology.DeviceHints;
import dev.patchbay.kubelet.topology.HintSource;
import dev.patchbay.kubelet.topology.NodeCounts;
import dev.patchbay.kubelet.topology.TopologyHint;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// Where the devices that a container, or a pod, asks for could lie, at one instant.
record DevicePlaces(DeviceState state, DeviceHints hints) implements HintSource {
  @Override
  public SortedMap<String, Optional<List<TopologyHint>>> hints(
      PodSpec pod, ContainerSpec container) {
    SortedMap<String, Optional<List<TopologyHint>>> all = new TreeMap<>();
    container
        .limits()
        .forEach((resource, count) -> {
          if (!state.knows(resource)) return;
          var demand = new Demand(pod, container, resource, count);
          Set<DeviceId> held =
              state
                  .allocations()
                  .find(demand.key())
                  .<Set<DeviceId>>map(Allocations.Held::devices)
                  .orElse(Set.of());
          all.put(
              resource.toString(),
              hints(resource, count, held, demand.reusable(state.allocations())));
        });
    return all;
  }

  @Override
  public SortedMap<String, Optional<List<TopologyHint>>> podHints(PodSpec pod) {
    SortedMap<String, Optional<List<TopologyHint>>> all = new TreeMap<>();
    PodRequests.ofDevices(pod)
        .forEach((name, count) -> {
          ResourceName resource = ResourceName.of(name);
          if (!state.knows(resource)) return;
          Set<DeviceId> held = new TreeSet<>();
          state
              .heldBy(pod.uid())
              .values()
              .forEach(shares -> {
                if (shares.containsKey(resource)) held.addAll(shares.get(resource).devices());
              });
          all.put(name, hints(resource, count, held, Set.of()));
        });
    return all;
  }

  private Optional<List<TopologyHint>> hints(
      ResourceName resource, long wanted, Set<DeviceId> held, Set<DeviceId> reusable) {
    Optional<ResourceState> known = state.inventory().find(resource);
    if (known.isEmpty() || !known.get().table().hasTopology()) return Optional.empty();
    DeviceTable table = known.get().table();
    // What is held and not listed any more lies nowhere: who holds it keeps it, or is refused for
    // that.
    if (table.placesOf(held).cardinality() < held.size()) return Optional.empty();
    BitSet free = state.allocations().free(resource, table, known.get().healthyPlaces());
    return hints.of(
        wanted, table.counts(), counts(table, held), table.countsOf(free), counts(table, reusable));
  }

  /// Devices that are not listed any more count, and lie nowhere.
  private static NodeCounts counts(DeviceTable table, Collection<DeviceId> ids) {
    NodeCounts listed = table.countsOf(table.placesOf(ids));
    return new NodeCounts(ids.size(), listed.placed());
  }
}
