package dev.patchbay.kubelet.allocation;

import dev.patchbay.kubelet.inventory.DeviceTable;
import dev.patchbay.model.DeviceId;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/// How many containers hold each device of one resource: one, or several of the same pod when one
/// took over what an init container had. Immutable.
///
/// Devices of the newest list are counted by their place in it, the others by id.
final class Holders {
  static final Holders NONE = new Holders(DeviceTable.EMPTY, new int[0], Map.of());

  private final DeviceTable table;
  private final int[] byPlace;
  private final Map<DeviceId, Integer> notListed;

  private Holders(DeviceTable table, int[] byPlace, Map<DeviceId, Integer> notListed) {
    this.table = table;
    this.byPlace = byPlace;
    this.notListed = notListed;
  }

  /// The same counts by the places of another list.
  Holders in(DeviceTable other) {
    if (table.hasPlacesOf(other)) return this;
    Map<DeviceId, Integer> left = new HashMap<>(notListed);
    for (int i = 0; i < byPlace.length; i++) if (byPlace[i] > 0) left.put(table.id(i), byPlace[i]);
    int[] moved = new int[other.size()];
    if (!left.isEmpty())
      for (int i = 0; i < moved.length; i++) {
        Integer count = left.remove(other.id(i));
        if (count != null) moved[i] = count;
      }
    return new Holders(other, moved, left);
  }

  /// With one container more, or less, that holds these.
  Holders plus(Collection<DeviceId> devices, int more) {
    int[] changed = byPlace.clone();
    Map<DeviceId, Integer> others = new HashMap<>(notListed);
    for (DeviceId id : devices) {
      int place = table.placeOf(id);
      if (place >= 0) changed[place] += more;
      else others.merge(id, more, (one, other) -> one + other == 0 ? null : one + other);
    }
    return new Holders(table, changed, others);
  }

  /// Leaves of these places those of devices that nobody holds.
  void removeHeld(BitSet places) {
    for (int i = places.nextSetBit(0); i >= 0; i = places.nextSetBit(i + 1))
      if (byPlace[i] > 0) places.clear(i);
  }

  int size() {
    int held = notListed.size();
    for (int count : byPlace) if (count > 0) held++;
    return held;
  }

  SortedSet<DeviceId> ids() {
    SortedSet<DeviceId> ids = new TreeSet<>(notListed.keySet());
    for (int i = 0; i < byPlace.length; i++) if (byPlace[i] > 0) ids.add(table.id(i));
    return ids;
  }
}
