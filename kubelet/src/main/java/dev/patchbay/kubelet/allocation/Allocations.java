package dev.patchbay.kubelet.allocation;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/// All devices that containers hold. Immutable; each change is a new table.
///
/// @param held in no particular order that matters; no (pod, container, resource) twice
public record Allocations(SortedMap<Key, Held> held) {
  /// Nobody holds anything.
  public static final Allocations EMPTY = new Allocations(new TreeMap<>());

  /// One container's share of one resource.
  public record Key(String podUid, String container, ResourceName resource)
      implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byPod = podUid.compareTo(other.podUid);
      if (byPod != 0) return byPod;
      int byContainer = container.compareTo(other.container);
      return byContainer != 0 ? byContainer : resource.compareTo(other.resource);
    }
  }

  /// What a container holds of one resource.
  ///
  /// @param devicesByNode ids by NUMA node, under each of a device's nodes; under -1 those without
  ///   a node
  /// @param answer what the plugin said about them; empty as long as it was not asked or has not
  ///   answered
  public record Held(
      SortedMap<Integer, SortedSet<DeviceId>> devicesByNode, Optional<ContainerEdits> answer) {
    public Held {
      devicesByNode = Collections.unmodifiableSortedMap(new TreeMap<>(devicesByNode));
    }

    /// These devices, with the nodes that the plugin's list gives them; the plugin was not asked
    /// for them yet.
    public static Held reserved(Set<DeviceId> devices, Map<DeviceId, Device> listed) {
      SortedMap<Integer, SortedSet<DeviceId>> byNode = new TreeMap<>();
      for (DeviceId id : devices) {
        Device device = listed.get(id);
        Set<Integer> nodes =
            device == null || device.numaNodes().isEmpty() ? Set.of(-1) : device.numaNodes();
        for (int node : nodes) byNode.computeIfAbsent(node, _ -> new TreeSet<>()).add(id);
      }
      return new Held(byNode, Optional.empty());
    }

    /// The same devices with the plugin's answer.
    public Held answered(ContainerEdits answer) {
      return new Held(devicesByNode, Optional.of(answer));
    }

    /// The ids, each once.
    public SortedSet<DeviceId> devices() {
      SortedSet<DeviceId> all = new TreeSet<>();
      devicesByNode.values().forEach(all::addAll);
      return all;
    }
  }

  public Allocations {
    held = Collections.unmodifiableSortedMap(new TreeMap<>(held));
  }

  /// What this container holds of this resource.
  public Optional<Held> find(Key key) {
    return Optional.ofNullable(held.get(key));
  }

  /// With this share, instead of what the key held before.
  public Allocations with(Key key, Held share) {
    SortedMap<Key, Held> all = new TreeMap<>(held);
    all.put(key, share);
    return new Allocations(all);
  }

  /// Without the shares that match.
  public Allocations without(Predicate<Key> which) {
    if (held.keySet().stream().noneMatch(which)) return this;
    SortedMap<Key, Held> left = new TreeMap<>(held);
    left.keySet().removeIf(which);
    return new Allocations(left);
  }

  /// Devices of a resource that some container holds.
  public SortedSet<DeviceId> devicesOf(ResourceName resource) {
    SortedSet<DeviceId> all = new TreeSet<>();
    held.forEach((key, share) -> {
      if (key.resource().equals(resource)) all.addAll(share.devices());
    });
    return all;
  }

  /// Whether some container holds devices of this resource.
  public boolean isHeld(ResourceName resource) {
    return held.keySet().stream().anyMatch(key -> key.resource().equals(resource));
  }

  /// Pods that hold something.
  public SortedSet<String> pods() {
    SortedSet<String> uids = new TreeSet<>();
    held.keySet().forEach(key -> uids.add(key.podUid()));
    return uids;
  }

  /// What one pod's containers hold: container, resource, share.
  public SortedMap<String, SortedMap<ResourceName, Held>> ofPod(String podUid) {
    SortedMap<String, SortedMap<ResourceName, Held>> all = new TreeMap<>();
    held.forEach((key, share) -> {
      if (key.podUid().equals(podUid))
        all.computeIfAbsent(key.container(), _ -> new TreeMap<>()).put(key.resource(), share);
    });
    return all;
  }

  /// The plugins' answers for one container, in the order of the resources' names.
  public List<ContainerEdits> answersFor(String podUid, String container) {
    List<ContainerEdits> answers = new ArrayList<>();
    held.forEach((key, share) -> {
      if (key.podUid().equals(podUid) && key.container().equals(container))
        share.answer().ifPresent(answers::add);
    });
    return answers;
  }
}
