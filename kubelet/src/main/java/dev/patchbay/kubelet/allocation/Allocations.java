package dev.patchbay.kubelet.allocation;

import dev.patchbay.kubelet.inventory.DeviceTable;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/// All devices that containers hold. Immutable; each change is a new table, which shares with the
/// old one what belongs to other pods.
///
/// The shares by pod are all that it says; who looks for free devices finds them counted by device.
public final class Allocations {
  /// Nobody holds anything.
  public static final Allocations EMPTY = new Allocations(new TreeMap<>(), Map.of());

  private final SortedMap<String, SortedMap<Key, Held>> byPod;
  private final Map<ResourceName, Holders> holders;

  private Allocations(
      SortedMap<String, SortedMap<Key, Held>> byPod, Map<ResourceName, Holders> holders) {
    this.byPod = byPod;
    this.holders = holders;
  }

  /// These shares and no others.
  public static Allocations of(Map<Key, Held> shares) {
    SortedMap<String, SortedMap<Key, Held>> byPod = new TreeMap<>();
    Map<ResourceName, List<DeviceId>> devices = new HashMap<>();
    shares.forEach((key, share) -> {
      byPod.computeIfAbsent(key.podUid(), _ -> new TreeMap<>()).put(key, share);
      devices.computeIfAbsent(key.resource(), _ -> new ArrayList<>()).addAll(share.devices());
    });
    byPod.replaceAll((_, ofPod) -> Collections.unmodifiableSortedMap(ofPod));
    Map<ResourceName, Holders> holders = new HashMap<>();
    devices.forEach((resource, ids) -> holders.put(resource, Holders.NONE.plus(ids, 1)));
    return new Allocations(byPod, holders);
  }

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
    public static Held reserved(Set<DeviceId> devices, DeviceTable listed) {
      SortedMap<Integer, SortedSet<DeviceId>> byNode = new TreeMap<>();
      for (DeviceId id : devices) {
        Set<Integer> nodes =
            listed
                .find(id)
                .<Set<Integer>>map(device -> device.numaNodes())
                .filter(found -> !found.isEmpty())
                .orElse(Set.of(-1));
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
      if (devicesByNode.size() == 1)
        return Collections.unmodifiableSortedSet(devicesByNode.firstEntry().getValue());
      SortedSet<DeviceId> all = new TreeSet<>();
      devicesByNode.values().forEach(all::addAll);
      return all;
    }
  }

  /// All shares, by pod, container and resource.
  public SortedMap<Key, Held> held() {
    SortedMap<Key, Held> all = new TreeMap<>();
    byPod.values().forEach(all::putAll);
    return Collections.unmodifiableSortedMap(all);
  }

  /// The shares of each pod: a view, which costs nothing.
  public SortedMap<String, SortedMap<Key, Held>> byPod() {
    return Collections.unmodifiableSortedMap(byPod);
  }

  /// What this container holds of this resource.
  public Optional<Held> find(Key key) {
    return Optional.ofNullable(sharesOf(key.podUid()).get(key));
  }

  private SortedMap<Key, Held> sharesOf(String podUid) {
    return byPod.getOrDefault(podUid, Collections.emptySortedMap());
  }

  /// With this share, instead of what the key held before.
  public Allocations with(Key key, Held share) {
    SortedMap<Key, Held> shares = new TreeMap<>(sharesOf(key.podUid()));
    Held before = shares.put(key, share);
    Holders counted = holders.getOrDefault(key.resource(), Holders.NONE);
    if (before == null || !before.devicesByNode().equals(share.devicesByNode())) {
      if (before != null) counted = counted.plus(before.devices(), -1);
      counted = counted.plus(share.devices(), 1);
    }
    SortedMap<String, SortedMap<Key, Held>> pods = new TreeMap<>(byPod);
    pods.put(key.podUid(), Collections.unmodifiableSortedMap(shares));
    Map<ResourceName, Holders> all = new HashMap<>(holders);
    all.put(key.resource(), counted);
    return new Allocations(pods, all);
  }

  /// Without one share.
  public Allocations without(Key key) {
    return sharesOf(key.podUid()).containsKey(key)
        ? without(Set.of(key.podUid()), key::equals)
        : this;
  }

  /// Without all that a pod holds.
  public Allocations withoutPod(String podUid) {
    return byPod.containsKey(podUid) ? without(Set.of(podUid), _ -> true) : this;
  }

  /// Without the pods that are not among these.
  public Allocations retaining(Set<String> podUids) {
    List<String> others = byPod.keySet().stream().filter(uid -> !podUids.contains(uid)).toList();
    return others.isEmpty() ? this : without(others, _ -> true);
  }

  /// Without the shares that match.
  public Allocations without(Predicate<Key> which) {
    return byPod.values().stream().noneMatch(shares -> shares.keySet().stream().anyMatch(which))
        ? this
        : without(byPod.keySet(), which);
  }

  private Allocations without(Iterable<String> podUids, Predicate<Key> which) {
    SortedMap<String, SortedMap<Key, Held>> pods = new TreeMap<>(byPod);
    Map<ResourceName, Holders> counts = new HashMap<>(holders);
    for (String uid : podUids) {
      SortedMap<Key, Held> left = new TreeMap<>();
      sharesOf(uid)
          .forEach((key, share) -> {
            if (!which.test(key)) left.put(key, share);
            else
              counts.computeIfPresent(
                  key.resource(), (_, counted) -> counted.plus(share.devices(), -1));
          });
      if (left.isEmpty()) pods.remove(uid);
      else pods.put(uid, Collections.unmodifiableSortedMap(left));
    }
    counts.values().removeIf(Holders::isEmpty);
    return new Allocations(pods, counts);
  }

  /// The same, made ready for questions about this list of a resource's devices. Only then the
  /// changes that follow are as cheap as they can be.
  public Allocations readyFor(ResourceName resource, DeviceTable table) {
    Holders before = holders.getOrDefault(resource, Holders.NONE);
    Holders ready = before.in(table);
    if (ready == before) return this;
    Map<ResourceName, Holders> all = new HashMap<>(holders);
    all.put(resource, ready);
    return new Allocations(byPod, all);
  }

  /// Of these places in a list of a resource's devices those that no container holds.
  public BitSet free(ResourceName resource, DeviceTable table, BitSet places) {
    BitSet free = (BitSet) places.clone();
    holders.getOrDefault(resource, Holders.NONE).in(table).removeHeld(free);
    return free;
  }

  /// Devices of a resource that some container holds.
  public SortedSet<DeviceId> devicesOf(ResourceName resource) {
    return holders.getOrDefault(resource, Holders.NONE).ids();
  }

  /// Number of a resource's devices that some container holds.
  public int countOf(ResourceName resource) {
    return holders.getOrDefault(resource, Holders.NONE).size();
  }

  /// Whether some container holds devices of this resource.
  public boolean isHeld(ResourceName resource) {
    return !holders.getOrDefault(resource, Holders.NONE).isEmpty();
  }

  /// Pods that hold something.
  public SortedSet<String> pods() {
    return Collections.unmodifiableSortedSet(new TreeSet<>(byPod.keySet()));
  }

  /// What one pod's containers hold: container, resource, share.
  public SortedMap<String, SortedMap<ResourceName, Held>> ofPod(String podUid) {
    SortedMap<String, SortedMap<ResourceName, Held>> all = new TreeMap<>();
    sharesOf(podUid)
        .forEach((key, share) ->
            all.computeIfAbsent(key.container(), _ -> new TreeMap<>()).put(key.resource(), share));
    return all;
  }

  /// The plugins' answers for one container, in the order of the resources' names.
  public List<ContainerEdits> answersFor(String podUid, String container) {
    List<ContainerEdits> answers = new ArrayList<>();
    sharesOf(podUid)
        .forEach((key, share) -> {
          if (key.container().equals(container)) share.answer().ifPresent(answers::add);
        });
    return answers;
  }
}
