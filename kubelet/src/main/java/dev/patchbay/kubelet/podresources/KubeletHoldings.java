package dev.patchbay.kubelet.podresources;

import dev.patchbay.kubelet.DeviceState;
import dev.patchbay.kubelet.HostState;
import dev.patchbay.kubelet.KnownPod;
import dev.patchbay.kubelet.Kubelet;
import dev.patchbay.kubelet.allocation.Allocations.Held;
import dev.patchbay.kubelet.memory.MemoryBlock;
import dev.patchbay.kubelet.podresources.PodHoldings.ContainerHoldings;
import dev.patchbay.kubelet.podresources.PodHoldings.MemoryShare;
import dev.patchbay.kubelet.pods.DraClaim;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/// The holdings of a [Kubelet]'s pods. The devices of one answer are those of one moment, and so
/// are its CPUs and memory.
public record KubeletHoldings(Kubelet kubelet) implements NodeHoldings {
  @Override
  public void collectGarbage() {
    kubelet.collectGarbage();
  }

  @Override
  public List<PodHoldings> pods() {
    var now = new Moment(kubelet.devices(), kubelet.host());
    return kubelet.pods().stream().map(now::of).toList();
  }

  @Override
  public Optional<PodHoldings> pod(String namespace, String name) {
    return kubelet.pods().stream()
        .filter(pod -> pod.spec().namespace().equals(namespace) && pod.spec().name().equals(name))
        .min(Comparator.comparing(KnownPod::isActive).reversed())
        .map(pod -> new Moment(kubelet.devices(), kubelet.host()).of(pod));
  }

  @Override
  public Allocatable allocatable() {
    HostState host = kubelet.host();
    return new Allocatable(
        kubelet.devices().allocatable(),
        host.cpus().allocatable().toList(),
        shares(host.memory().allocatable()));
  }

  /// Who has what, at one moment.
  private record Moment(DeviceState devices, HostState host) {
    PodHoldings of(KnownPod pod) {
      PodSpec spec = pod.spec();
      SortedMap<String, SortedMap<ResourceName, Held>> held = devices.heldBy(spec.uid());
      return new PodHoldings(
          spec.namespace(),
          spec.name(),
          pod.isActive(),
          spec.initContainers().stream()
              .filter(ContainerSpec::sidecar)
              .map(container -> of(spec, container, held))
              .toList(),
          spec.containers().stream().map(container -> of(spec, container, held)).toList());
    }

    private ContainerHoldings of(
        PodSpec pod,
        ContainerSpec container,
        SortedMap<String, SortedMap<ResourceName, Held>> held) {
      SortedMap<ResourceName, SortedMap<Integer, SortedSet<DeviceId>>> byNode = new TreeMap<>();
      held.getOrDefault(container.name(), Collections.emptySortedMap())
          .forEach((resource, share) -> {
            // Until the plugin has answered nobody has them.
            if (share.answer().isPresent()) byNode.put(resource, share.devicesByNode());
          });
      return new ContainerHoldings(
          container.name(),
          byNode,
          host.cpus().of(pod.uid(), container.name()).toList(),
          shares(host.memory().of(pod.uid(), container.name())),
          claims(pod, container));
    }
  }

  private static List<MemoryShare> shares(List<MemoryBlock> blocks) {
    return blocks.stream()
        .map(block ->
            new MemoryShare(block.type(), block.sizeBytes(), List.copyOf(block.nodes().nodes())))
        .toList();
  }

  /// The claims that the container uses, in the pod's order; one that it uses twice, for two of its
  /// requests, twice, and each time as a whole.
  private static List<DraClaim> claims(PodSpec pod, ContainerSpec container) {
    List<DraClaim> claims = new ArrayList<>();
    for (DraClaim claim : pod.claims())
      for (DraClaim.Use use : container.claims())
        if (use.podClaim().equals(claim.podClaim())) claims.add(claim);
    return claims;
  }
}
