package dev.patchbay.kubelet.inventory;

import dev.patchbay.kubelet.topology.NodeCounts;
import dev.patchbay.kubelet.topology.NumaMask;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// One list of a resource's devices, by id. Immutable, but for what is counted when it is first
/// asked for.
///
/// A device is known by its place in the list, so that sets of devices are sets of bits: with ten
/// thousand devices an admission looks at each of them, and cannot afford more than that. Lists
/// with the same ids share one array of them, which says that their places are the same.
public final class DeviceTable {
  /// No device.
  public static final DeviceTable EMPTY = new DeviceTable(new DeviceId[0], new Device[0]);

  private final DeviceId[] ids;
  private final Device[] devices;
  private final DeviceKinds kinds;
  private final BitSet healthy;
  private volatile Optional<NodeCounts> counts = Optional.empty();

  private DeviceTable(DeviceId[] ids, Device[] devices) {
    this.ids = ids;
    this.devices = devices;
    kinds = DeviceKinds.of(devices);
    healthy = new BitSet(devices.length);
    for (int i = 0; i < devices.length; i++) if (devices[i].health().isHealthy()) healthy.set(i);
  }

  /// The same list, known to have the places of another.
  private DeviceTable(DeviceTable list, DeviceTable earlier) {
    ids = earlier.ids;
    devices = list.devices;
    kinds = list.kinds;
    healthy = list.healthy;
  }

  /// A list's devices; of an id that occurs twice the later one counts.
  public static DeviceTable of(Collection<Device> listed) {
    Device[] devices = listed.toArray(new Device[0]);
    if (!Device.areAscending(devices)) devices = sorted(devices);
    DeviceId[] ids = new DeviceId[devices.length];
    for (int i = 0; i < ids.length; i++) ids[i] = devices[i].id();
    return new DeviceTable(ids, devices);
  }

  private static Device[] sorted(Device[] devices) {
    Arrays.sort(devices); // equal ones stay in their order
    int kept = 0;
    for (int i = 0; i < devices.length; i++)
      if (i + 1 == devices.length || !devices[i].id().equals(devices[i + 1].id()))
        devices[kept++] = devices[i];
    return Arrays.copyOf(devices, kept);
  }

  /// The same devices, in the places of an earlier list if their ids are the same.
  DeviceTable inPlacesOf(DeviceTable earlier) {
    return Arrays.equals(ids, earlier.ids) ? new DeviceTable(this, earlier) : this;
  }

  /// Whether each device has the same place in the other list.
  @SuppressWarnings("ReferenceEquality") // lists with the same ids share one array
  public boolean hasPlacesOf(DeviceTable other) {
    return ids == other.ids;
  }

  /// Number of devices.
  public int size() {
    return devices.length;
  }

  /// The id of the device at a place.
  public DeviceId id(int place) {
    return ids[place];
  }

  /// The ids of all devices, by place.
  public List<DeviceId> ids() {
    return Collections.unmodifiableList(Arrays.asList(ids));
  }

  /// The place of a device; negative when it is not listed.
  public int placeOf(DeviceId id) {
    return Arrays.binarySearch(ids, id);
  }

  /// A device of the list.
  public Optional<Device> find(DeviceId id) {
    int place = placeOf(id);
    return place < 0 ? Optional.empty() : Optional.of(devices[place]);
  }

  /// The devices by id.
  public List<Device> devices() {
    return new AbstractList<>() {
      @Override
      public Device get(int place) {
        return devices[place];
      }

      @Override
      public int size() {
        return devices.length;
      }
    };
  }

  /// Whether the device at a place is healthy.
  public boolean isHealthy(int place) {
    return healthy.get(place);
  }

  /// Places of the devices that an earlier list did not have, or had with another health.
  public BitSet changedSince(DeviceTable earlier) {
    if (hasPlacesOf(earlier)) {
      BitSet changed = healthy();
      changed.xor(earlier.healthy);
      return changed;
    }
    var changed = new BitSet(devices.length);
    for (int i = 0; i < devices.length; i++) {
      int before = earlier.placeOf(ids[i]);
      if (before < 0 || earlier.isHealthy(before) != isHealthy(i)) changed.set(i);
    }
    return changed;
  }

  /// Places of the healthy devices; the caller's own.
  public BitSet healthy() {
    return (BitSet) healthy.clone();
  }

  /// Number of healthy devices.
  public int healthyCount() {
    return healthy.cardinality();
  }

  /// The places of those of these devices that are listed.
  public BitSet placesOf(Collection<DeviceId> some) {
    var places = new BitSet();
    for (DeviceId id : some) {
      int place = placeOf(id);
      if (place >= 0) places.set(place);
    }
    return places;
  }

  /// The ids at these places.
  public SortedSet<DeviceId> idsAt(BitSet places) {
    SortedSet<DeviceId> chosen = new TreeSet<>();
    for (int i = places.nextSetBit(0); i >= 0; i = places.nextSetBit(i + 1)) chosen.add(ids[i]);
    return chosen;
  }

  /// The different sets of NUMA nodes that devices have, and which has which.
  public DeviceKinds kinds() {
    return kinds;
  }

  /// Whether any device has a NUMA node.
  public boolean hasTopology() {
    return kinds.nodes().stream().anyMatch(nodes -> !nodes.isEmpty());
  }

  /// How many devices lie on which NUMA nodes.
  public NodeCounts counts() {
    Optional<NodeCounts> known = counts;
    if (known.isPresent()) return known.get();
    var all = new BitSet();
    all.set(0, devices.length);
    NodeCounts counted = countsOf(all);
    counts = Optional.of(counted);
    return counted;
  }

  /// The same of the devices at these places alone.
  public NodeCounts countsOf(BitSet places) {
    int[] ofKind = kinds.counts(places);
    int devicesInAll = 0;
    SortedMap<NumaMask, Integer> placed = new TreeMap<>();
    for (int kind = 0; kind < ofKind.length; kind++) {
      devicesInAll += ofKind[kind];
      SortedSet<Integer> nodes = kinds.nodes().get(kind);
      if (!nodes.isEmpty() && ofKind[kind] > 0)
        placed.merge(
            NumaMask.of(nodes.stream().filter(NumaMask::isId).toList()),
            ofKind[kind],
            Integer::sum);
    }
    return new NodeCounts(devicesInAll, placed);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DeviceTable table && Arrays.equals(devices, table.devices);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(devices);
  }

  @Override
  public String toString() {
    return Arrays.toString(devices);
  }
}
