package dev.patchbay.kubelet.allocation;

import dev.patchbay.kubelet.inventory.DeviceTable;
import dev.patchbay.model.DeviceId;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;

/// How many containers hold each device of one resource: one, or several of the same pod when one
/// took over what an init container had. Immutable.
///
/// Devices of the newest list are known by their place in it, the others by id. Since hardly any
/// device is held twice, a change copies a bit for each device and little else.
final class Holders {
  /// Devices that are fewer than one in so many of a list are searched for in it.
  private static final int FEW = 16;

  static final Holders NONE = new Holders(DeviceTable.EMPTY);

  private final DeviceTable table;
  private final BitSet held; // places of the devices that somebody holds
  private final Map<Integer, Integer> more; // how many hold the device at a place, if not one
  private final Map<DeviceId, Integer> notListed;

  private Holders(DeviceTable table) {
    this(table, new BitSet(), new HashMap<>(), new HashMap<>());
  }

  private Holders(
      DeviceTable table,
      BitSet held,
      Map<Integer, Integer> more,
      Map<DeviceId, Integer> notListed) {
    this.table = table;
    this.held = held;
    this.more = more;
    this.notListed = notListed;
  }

  /// The same counts by the places of another list.
  Holders in(DeviceTable other) {
    if (table.hasPlacesOf(other)) return this;
    Map<DeviceId, Integer> counts = HashMap.newHashMap(size());
    counts.putAll(notListed);
    for (int i = held.nextSetBit(0); i >= 0; i = held.nextSetBit(i + 1))
      counts.put(table.id(i), at(i));
    return counts.size() < other.size() / FEW ? searched(counts, other) : walked(counts, other);
  }

  private static Holders searched(Map<DeviceId, Integer> counts, DeviceTable table) {
    var moved = new Holders(table);
    counts.forEach(moved::change);
    return moved;
  }

  /// The same by one look at each device of the list: to search it for each of thousands takes
  /// longer.
  private static Holders walked(Map<DeviceId, Integer> counts, DeviceTable table) {
    var moved = new Holders(table, new BitSet(table.size()), new HashMap<>(), counts);
    for (int place = 0; place < table.size() && !counts.isEmpty(); place++) {
      Integer count = counts.remove(table.id(place));
      if (count != null) moved.set(place, count);
    }
    return moved;
  }

  /// With one container more, or less, that holds these; as often as one of them occurs.
  Holders plus(Collection<DeviceId> devices, int change) {
    var changed =
        new Holders(table, (BitSet) held.clone(), new HashMap<>(more), new HashMap<>(notListed));
    for (DeviceId id : devices) changed.change(id, change);
    return changed;
  }

  /// Only for one that nobody has seen yet.
  private void change(DeviceId id, int change) {
    int place = table.placeOf(id);
    if (place < 0) {
      notListed.merge(id, change, (one, other) -> one + other == 0 ? null : one + other);
      return;
    }
    set(place, at(place) + change);
  }

  private void set(int place, int count) {
    held.set(place, count > 0);
    if (count > 1) more.put(place, count);
    else more.remove(place);
  }

  private int at(int place) {
    return held.get(place) ? more.getOrDefault(place, 1) : 0;
  }

  /// Leaves of these places those of devices that nobody holds.
  void removeHeld(BitSet places) {
    places.andNot(held);
  }

  boolean isEmpty() {
    return held.isEmpty() && notListed.isEmpty();
  }

  int size() {
    return notListed.size() + held.cardinality();
  }

  SortedSet<DeviceId> ids() {
    SortedSet<DeviceId> ids = table.idsAt(held);
    ids.addAll(notListed.keySet());
    return ids;
  }
}
