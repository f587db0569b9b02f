package dev.patchbay.kubelet;

import dev.patchbay.kubelet.allocation.Allocations;
import dev.patchbay.kubelet.allocation.MergedAnswers;
import dev.patchbay.kubelet.inventory.ResourceState;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.registration.PluginConnection;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;

/// What has to be done each time one container starts with the devices that it holds.
record ContainerStart(DeviceLedger ledger, PodSpec pod, ContainerSpec container) {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.kubelet");

  /// Calls PreStartContainer where the plugin wants it.
  ///
  /// @throws IOException when a plugin refuses or is not there
  void prepare() throws IOException {
    for (Map.Entry<ResourceName, Long> limit : container.limits().entrySet())
      if (limit.getValue() > 0 && ledger.now().knows(limit.getKey())) prepare(limit.getKey());
  }

  private void prepare(ResourceName resource) throws IOException {
    DeviceState now = ledger.now();
    ResourceState state =
        now.inventory().find(resource).orElseThrow(() -> ContainerAllocation.noEndpoint(resource));
    if (!state.wantsPreStart()) return;
    PluginConnection plugin =
        ledger
            .connection(resource)
            .orElseThrow(() ->
                new IOException(
                    "device plugin PreStartContainer rpc failed with err: endpoint of "
                        + resource
                        + " has been stopped"));
    SortedSet<DeviceId> devices =
        now.allocations()
            .find(new Allocations.Key(pod.uid(), container.name(), resource))
            .map(Allocations.Held::devices)
            .orElseThrow(() ->
                new IOException(
                    "no devices found allocated in local cache for pod %s, container %s, resource %s"
                        .formatted(pod.uid(), container.name(), resource)));
    plugin.preStart(devices);
  }

  /// The plugins' answers as one; empty when the container has no devices.
  Optional<ContainerEdits> edits() {
    List<ContainerEdits> answers =
        ledger.now().allocations().answersFor(pod.uid(), container.name());
    if (answers.isEmpty()) return Optional.empty();
    var merged = MergedAnswers.of(answers);
    for (String conflict : merged.conflicts())
      LOG.log(
          System.Logger.Level.WARNING,
          "plugins disagree pod={0}/{1} container={2} kept={3}",
          pod.namespace(),
          pod.name(),
          container.name(),
          conflict);
    return Optional.of(merged.edits());
  }
}
