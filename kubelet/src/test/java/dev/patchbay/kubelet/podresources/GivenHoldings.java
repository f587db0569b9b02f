package dev.patchbay.kubelet.podresources;

import dev.patchbay.kubelet.podresources.PodHoldings.ContainerHoldings;
import dev.patchbay.kubelet.pods.DraClaim;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/// A node whose pods have what the test says.
final class GivenHoldings implements NodeHoldings {
  static final ResourceName NIC = ResourceName.of("vendor.example/nic");
  static final ResourceName GPU = ResourceName.of("vendor.example/gpu");

  final List<PodHoldings> pods = new CopyOnWriteArrayList<>();
  final AtomicInteger collections = new AtomicInteger();
  volatile Allocatable allocatable = new Allocatable(new TreeMap<>(), List.of(), List.of());

  @Override
  public void collectGarbage() {
    collections.incrementAndGet();
    pods.replaceAll(pod -> pod.active() ? pod : withoutDevices(pod));
  }

  private static PodHoldings withoutDevices(PodHoldings pod) {
    List<ContainerHoldings> bare = new ArrayList<>();
    for (ContainerHoldings each : pod.containers()) bare.add(container(each.name()));
    return new PodHoldings(pod.namespace(), pod.name(), false, List.of(), bare);
  }

  @Override
  public List<PodHoldings> pods() {
    return List.copyOf(pods);
  }

  @Override
  public Optional<PodHoldings> pod(String namespace, String name) {
    return pods.stream()
        .filter(pod -> pod.namespace().equals(namespace) && pod.name().equals(name))
        .findFirst();
  }

  @Override
  public Allocatable allocatable() {
    return allocatable;
  }

  static PodHoldings pod(String name, ContainerHoldings... containers) {
    return new PodHoldings("default", name, true, List.of(), List.of(containers));
  }

  static PodHoldings ended(String name, ContainerHoldings... containers) {
    return new PodHoldings("default", name, false, List.of(), List.of(containers));
  }

  static ContainerHoldings container(String name) {
    return new ContainerHoldings(name, new TreeMap<>(), List.of(), List.of(), List.of());
  }

  /// With devices of one resource, as in `0:a,b -1:c`: by node.
  static ContainerHoldings container(String name, ResourceName resource, String devices) {
    SortedMap<ResourceName, SortedMap<Integer, SortedSet<DeviceId>>> held = new TreeMap<>();
    held.put(resource, devices(devices));
    return new ContainerHoldings(name, held, List.of(), List.of(), List.of());
  }

  static ContainerHoldings container(String name, DraClaim... claims) {
    return new ContainerHoldings(name, new TreeMap<>(), List.of(), List.of(), List.of(claims));
  }

  static SortedMap<Integer, SortedSet<DeviceId>> devices(String text) {
    SortedMap<Integer, SortedSet<DeviceId>> byNode = new TreeMap<>();
    for (String group : text.split(" ", -1)) {
      String[] parts = group.split(":", -1);
      SortedSet<DeviceId> ids = new TreeSet<>();
      for (String id : parts[1].split(",", -1)) ids.add(DeviceId.of(id));
      byNode.put(Integer.parseInt(parts[0]), ids);
    }
    return byNode;
  }

  static SortedMap<ResourceName, Collection<Device>> listed(ResourceName name, Device... devices) {
    SortedMap<ResourceName, Collection<Device>> all = new TreeMap<>();
    all.put(name, Arrays.asList(devices));
    return all;
  }
}
