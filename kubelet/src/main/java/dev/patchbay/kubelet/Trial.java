package dev.patchbay.kubelet;

import dev.patchbay.kubelet.DeviceManager.ContainerKey;
import dev.patchbay.kubelet.allocation.Allocations;
import dev.patchbay.kubelet.allocation.Allocator;
import dev.patchbay.kubelet.allocation.Decision;
import dev.patchbay.kubelet.allocation.Request;
import dev.patchbay.kubelet.inventory.DeviceTable;
import dev.patchbay.kubelet.inventory.Inventory;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.topology.NumaMask;
import dev.patchbay.kubelet.topology.TopologyHint;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/// One step in which devices, CPUs and memory are reserved, tried on what the ledger has: the
/// ledger takes over what comes of it, or lets it go. For one thread.
final class Trial {
  /// What the ledger knows besides.
  interface Known {
    /// Whether the container goes on whatever the plugins say.
    boolean keepsRunning(ContainerKey container);

    /// Where the topology manager wants a container's resources to lie.
    TopologyHint affinity(ContainerKey container);

    /// Whether the plugin of a resource wants to say which devices it prefers to give.
    boolean hasPreference(ResourceName resource);
  }

  private final Inventory inventory;
  private final Set<Quirk> quirks;
  private final Known known;
  private Allocations allocations;
  private HostState host;

  Trial(DeviceState devices, HostState host, Set<Quirk> quirks, Known known) {
    inventory = devices.inventory();
    allocations = devices.allocations();
    this.host = host;
    this.quirks = quirks;
    this.known = known;
  }

  /// Who holds which devices after the step.
  Allocations allocations() {
    return allocations;
  }

  /// CPUs and memory after the step.
  HostState host() {
    return host;
  }

  /// Reserves all that these containers ask for.
  ///
  /// @return why one of them cannot have it; then the step has come to nothing
  Optional<Admission.Refused> reserve(PodSpec pod, List<ContainerSpec> together) {
    for (ContainerSpec container : together) {
      Optional<Admission.Refused> refusal =
          reserveDevices(pod, container)
              .map(Admission::unexpected)
              .or(() -> reserveHost(pod, container));
      if (refusal.isPresent()) return refusal;
    }
    return Optional.empty();
  }

  private Optional<Admission.Refused> reserveHost(PodSpec pod, ContainerSpec container) {
    try {
      host =
          host.reserve(
              pod, container, known.affinity(new ContainerKey(pod.uid(), container.name())));
      return Optional.empty();
    } catch (HostState.Refusal e) {
      return Optional.of(e.refused());
    }
  }

  private Optional<String> reserveDevices(PodSpec pod, ContainerSpec container) {
    for (Map.Entry<ResourceName, Long> limit : container.limits().entrySet()) {
      var demand = new Demand(pod, container, limit.getKey(), limit.getValue());
      if (!demand.isOurs(new DeviceState(inventory, allocations))) continue;
      switch (decide(demand, Optional.of(Preference.NONE))) {
        case Decision.Refusal refusal -> {
          return Optional.of(refusal.why());
        }
        case Decision.Grant grant -> hold(demand, grant);
        case Decision.Keep _, Decision.AskPlugin _ -> {}
      }
    }
    return Optional.empty();
  }

  /// Decides about a demand and reserves what is granted; see [DeviceLedger#reserve].
  Decision reserve(Demand demand, Optional<Preference> preference) {
    Allocations before = allocations;
    List<Demand> reserved = reserved(demand);
    for (Demand each : reserved) allocations = allocations.without(each.key());
    Decision decision = decide(demand, preference);
    if (decision instanceof Decision.Grant grant) {
      hold(demand, grant);
      for (Demand later : reserved)
        if (!later.equals(demand)
            && decide(later, Optional.of(Preference.NONE)) instanceof Decision.Grant more)
          hold(later, more);
    } else {
      allocations = before;
      if (decision instanceof Decision.AskPlugin
          && before.find(demand.key()).isEmpty()
          && decide(demand, Optional.of(Preference.NONE)) instanceof Decision.Grant meanwhile)
        hold(demand, meanwhile);
    }
    return decision;
  }

  /// Demands of the pod for the same resource that are reserved and not allocated.
  private List<Demand> reserved(Demand demand) {
    return demand.pod().allContainers().stream()
        .filter(container -> container.limits().containsKey(demand.resource()))
        .map(container ->
            new Demand(
                demand.pod(),
                container,
                demand.resource(),
                container.limits().getOrDefault(demand.resource(), 0L)))
        .filter(each ->
            allocations.find(each.key()).filter(share -> share.answer().isEmpty()).isPresent())
        .toList();
  }

  private Decision decide(Demand demand, Optional<Preference> preference) {
    return Allocator.decide(inventory, allocations, request(demand, preference));
  }

  private void hold(Demand demand, Decision.Grant grant) {
    DeviceTable listed = inventory.find(demand.resource()).orElseThrow().table();
    allocations =
        allocations
            .readyFor(demand.resource(), listed)
            .with(demand.key(), Allocations.Held.reserved(grant.devices(), listed));
  }

  private Request request(Demand demand, Optional<Preference> preference) {
    SortedSet<DeviceId> first = demand.reusable(allocations);
    // Reserved since the plugin was asked, so that nobody else has them.
    preference.map(Preference::mustInclude).ifPresent(first::addAll);
    var container = new ContainerKey(demand.pod().uid(), demand.container().name());
    return new Request(
        demand.key(),
        demand.count(),
        first,
        quirks.contains(Quirk.INIT_CONTAINERS_HAND_ON_BROKEN_DEVICES),
        known.keepsRunning(container),
        known.affinity(container).mask().map(NumaMask::nodes),
        known.hasPreference(demand.resource()),
        preference.map(Preference::preferred));
  }
}
