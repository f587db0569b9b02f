package dev.patchbay.kubelet.podresources;

import dev.patchbay.kubelet.podresources.PodHoldings.ContainerHoldings;
import dev.patchbay.kubelet.podresources.PodHoldings.MemoryShare;
import dev.patchbay.kubelet.pods.DraClaim;
import dev.patchbay.kubelet.pods.DraClaim.AllocatedDevice;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.podresources.v1.CDIDevice;
import dev.patchbay.proto.podresources.v1.ClaimResource;
import dev.patchbay.proto.podresources.v1.ContainerDevices;
import dev.patchbay.proto.podresources.v1.ContainerMemory;
import dev.patchbay.proto.podresources.v1.ContainerResources;
import dev.patchbay.proto.podresources.v1.DynamicResource;
import dev.patchbay.proto.podresources.v1.NUMANode;
import dev.patchbay.proto.podresources.v1.PodResources;
import dev.patchbay.proto.podresources.v1.TopologyInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/// Puts holdings into the messages of `v1`. Made for one answer; for one thread.
///
/// A device has an entry of its own for each of its NUMA nodes, as with the kubelet: a reader has
/// to merge entries of the same resource and id. Everything is in a fixed order: resources by name,
/// devices by id, nodes and CPUs ascending.
final class Answers {
  private static final int NO_NODE = -1;

  private final boolean showsClaims;
  private final boolean repeatsCdiDevices;

  /// One for each node, shared by all entries.
  private final Map<Integer, TopologyInfo> topologies = new HashMap<>();

  private final HeldEntries before;
  private final HeldEntries used = new HeldEntries();

  /// @param before what the answer before this one used, from which this one takes what it can
  Answers(boolean showsClaims, boolean repeatsCdiDevices, HeldEntries before) {
    this.showsClaims = showsClaims;
    this.repeatsCdiDevices = repeatsCdiDevices;
    this.before = before;
  }

  /// Entries of what containers hold of a resource, each under the value that it stands for, which
  /// is never changed: of thousands of devices hardly any has another holder a second later.
  static final class HeldEntries {
    private final IdentityHashMap<SortedMap<Integer, SortedSet<DeviceId>>, List<ContainerDevices>>
        byValue = new IdentityHashMap<>();

    private Optional<List<ContainerDevices>> find(
        String resource, SortedMap<Integer, SortedSet<DeviceId>> byNode) {
      return Optional.ofNullable(byValue.get(byNode))
          .filter(found -> found.isEmpty() || found.getFirst().getResourceName().equals(resource));
    }
  }

  /// What the next answer can use; of nothing that this one did not need.
  HeldEntries used() {
    return used;
  }

  PodResources pod(PodHoldings pod) {
    var answer = PodResources.newBuilder().setName(pod.name()).setNamespace(pod.namespace());
    for (ContainerHoldings sidecar : pod.sidecars())
      answer.addContainers(container(sidecar, pod.namespace()));
    for (ContainerHoldings container : pod.containers())
      answer.addContainers(container(container, pod.namespace()));
    return answer.build();
  }

  private ContainerResources container(ContainerHoldings container, String namespace) {
    var answer = ContainerResources.newBuilder().setName(container.name());
    answer.addAllDevices(held(container.devices()));
    answer.addAllCpuIds(cpus(container.cpus()));
    answer.addAllMemory(memory(container.memory()));
    if (showsClaims)
      for (DraClaim claim : container.claims()) answer.addDynamicResources(claim(claim, namespace));
    return answer.build();
  }

  /// Devices that a container holds.
  List<ContainerDevices> held(
      SortedMap<ResourceName, SortedMap<Integer, SortedSet<DeviceId>>> devices) {
    List<ContainerDevices> entries = new ArrayList<>();
    devices.forEach((resource, byNode) -> {
      String name = resource.toString();
      List<ContainerDevices> its = before.find(name, byNode).orElseGet(() -> made(name, byNode));
      used.byValue.put(byNode, its);
      entries.addAll(its);
    });
    return entries;
  }

  private List<ContainerDevices> made(
      String resource, SortedMap<Integer, SortedSet<DeviceId>> byNode) {
    List<ContainerDevices> entries = new ArrayList<>();
    byNode.forEach((node, ids) -> ids.forEach(id -> entries.add(entry(resource, id, node))));
    if (byNode.size() > 1) entries.sort(Comparator.comparing(entry -> entry.getDeviceIds(0)));
    return List.copyOf(entries);
  }

  /// Devices that could be given to a container.
  List<ContainerDevices> listed(SortedMap<ResourceName, ? extends Collection<Device>> devices) {
    List<ContainerDevices> entries = new ArrayList<>();
    devices.forEach((resource, all) -> {
      String name = resource.toString();
      for (Device device : all) {
        if (device.numaNodes().isEmpty()) entries.add(entry(name, device.id(), NO_NODE));
        else for (int node : device.numaNodes()) entries.add(entry(name, device.id(), node));
      }
    });
    return entries;
  }

  private ContainerDevices entry(String resource, DeviceId id, int node) {
    var entry = ContainerDevices.newBuilder().setResourceName(resource).addDeviceIds(id.value());
    if (node != NO_NODE)
      entry.setTopology(topologies.computeIfAbsent(node, one -> topology(List.of(one))));
    return entry.build();
  }

  private static TopologyInfo topology(List<Integer> nodes) {
    var topology = TopologyInfo.newBuilder();
    for (int node : nodes) topology.addNodes(NUMANode.newBuilder().setID(node));
    return topology.build();
  }

  static List<Long> cpus(List<Integer> cpus) {
    return cpus.stream().map(Integer::longValue).toList();
  }

  static List<ContainerMemory> memory(List<MemoryShare> shares) {
    return shares.stream()
        .map(share ->
            ContainerMemory.newBuilder()
                .setMemoryType(share.type())
                .setSize(share.sizeBytes())
                .setTopology(topology(share.nodes()))
                .build())
        .toList();
  }

  private DynamicResource claim(DraClaim claim, String namespace) {
    var answer =
        DynamicResource.newBuilder().setClaimName(claim.claim()).setClaimNamespace(namespace);
    SortedMap<String, List<AllocatedDevice>> byDriver = new TreeMap<>();
    for (AllocatedDevice device : claim.devices())
      byDriver.computeIfAbsent(device.driver(), _ -> new ArrayList<>()).add(device);
    byDriver.values().forEach(devices -> answer.addAllClaimResources(claimResources(devices)));
    return answer.build();
  }

  private List<ClaimResource> claimResources(List<AllocatedDevice> devicesOfDriver) {
    List<ClaimResource> resources = new ArrayList<>();
    List<CDIDevice> named = new ArrayList<>();
    for (AllocatedDevice device : devicesOfDriver) {
      if (!repeatsCdiDevices) named.clear();
      for (String name : device.cdiDevices())
        named.add(CDIDevice.newBuilder().setName(name).build());
      var resource =
          ClaimResource.newBuilder()
              .addAllCdiDevices(named)
              .setDriverName(device.driver())
              .setPoolName(device.pool())
              .setDeviceName(device.device());
      if (!device.shareId().isEmpty()) resource.setShareId(device.shareId());
      resources.add(resource.build());
    }
    return resources;
  }
}
