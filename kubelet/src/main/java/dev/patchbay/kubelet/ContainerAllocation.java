package dev.patchbay.kubelet;

import dev.patchbay.kubelet.allocation.Allocations;
import dev.patchbay.kubelet.allocation.Decision;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.registration.PluginConnection;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/// Gives one container its devices: reserve in the ledger, ask the plugin with no lock held, commit
/// or cancel.
///
/// What it got before a failure it keeps; freeing that is the caller's decision.
record ContainerAllocation(
    DeviceLedger ledger, KubeletEvents events, PodSpec pod, ContainerSpec container) {
  /// Whether the container holds devices, or has some reserved, of every resource of plugins that
  /// it asks for.
  boolean holdsAll() {
    DeviceState now = ledger.now();
    return container.limits().entrySet().stream()
        .filter(limit -> limit.getValue() > 0)
        .map(limit -> new Demand(pod, container, limit.getKey(), limit.getValue()))
        .filter(demand -> demand.isOurs(now))
        .allMatch(demand -> now.allocations().find(demand.key()).isPresent());
  }

  /// Gives the container what it does not hold yet, of all resources.
  ///
  /// @return whether it got some that it did not hold before
  /// @throws IOException in the kubelet's words, when a request is refused or the plugin fails
  boolean allocate() throws IOException {
    boolean gotNew = false;
    for (Map.Entry<ResourceName, Long> limit : container.limits().entrySet()) {
      var demand = new Demand(pod, container, limit.getKey(), limit.getValue());
      if (!demand.isOurs(ledger.now())) continue;
      try {
        gotNew |= allocate(demand);
      } catch (IOException e) {
        ledger.unreserve(demand.key());
        throw e;
      }
    }
    return gotNew;
  }

  private boolean allocate(Demand demand) throws IOException {
    ResourceName resource = demand.resource();
    Optional<Preference> preference = Optional.empty();
    while (true) {
      switch (ledger.reserve(demand, preference)) {
        case Decision.Keep _ -> {
          return false;
        }
        case Decision.Refusal refusal -> throw new IOException(refusal.why());
        case Decision.AskPlugin ask ->
            preference = Optional.of(new Preference(ask.mustInclude(), preferred(resource, ask)));
        case Decision.Grant grant -> {
          askPlugin(demand.key(), grant.devices());
          return true;
        }
      }
    }
  }

  private Set<DeviceId> preferred(ResourceName resource, Decision.AskPlugin ask)
      throws IOException {
    PluginConnection plugin = ledger.connection(resource).orElseThrow(() -> noEndpoint(resource));
    try {
      return plugin.preferred(ask.available(), ask.mustInclude(), ask.size());
    } catch (IOException e) {
      ledger.preferenceFailed(resource, ask.mustInclude());
      throw e;
    }
  }

  private void askPlugin(Allocations.Key key, SortedSet<DeviceId> devices) throws IOException {
    try {
      PluginConnection plugin =
          ledger
              .connection(key.resource())
              .orElseThrow(() -> new IOException("unknown Device Plugin " + key.resource()));
      ledger.commit(key, allocated(plugin, devices));
    } catch (IOException e) {
      ledger.cancel(key);
      throw e;
    }
  }

  private ContainerEdits allocated(PluginConnection plugin, SortedSet<DeviceId> devices)
      throws IOException {
    long began = System.nanoTime();
    try {
      return plugin.allocate(devices);
    } finally {
      events.allocateCalled(plugin.resource(), Duration.ofNanos(System.nanoTime() - began));
    }
  }

  /// No plugin serves this resource now.
  static IOException noEndpoint(ResourceName resource) {
    return new IOException("endpoint not found in cache for a registered resource: " + resource);
  }
}
