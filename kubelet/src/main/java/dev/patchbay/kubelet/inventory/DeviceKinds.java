package dev.patchbay.kubelet.inventory;

import dev.patchbay.model.Device;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;

/// The different sets of NUMA nodes that the devices of a list have, numbered, and which device has
/// which. Immutable.
///
/// Thousands of devices share a few sets, so that each set has its devices as bits; a plugin that
/// gives each device nodes of its own costs a number for each device instead.
public final class DeviceKinds {
  /// More kinds than a machine has nodes, and combinations of them that anybody lists.
  private static final int FEW = 64;

  private final List<SortedSet<Integer>> nodes;
  private final BitSet[] places; // of each kind, of few
  private final int[] ofPlace; // the kind at each place, of many

  private DeviceKinds(List<SortedSet<Integer>> nodes, BitSet[] places, int[] ofPlace) {
    this.nodes = List.copyOf(nodes);
    this.places = places;
    this.ofPlace = ofPlace;
  }

  static DeviceKinds of(Device[] devices) {
    int[] ofPlace = new int[devices.length];
    List<SortedSet<Integer>> nodes = new ArrayList<>();
    Map<Kind, Integer> numbers = new HashMap<>();
    // To look for the same object is enough for nearly all.
    IdentityHashMap<SortedSet<Integer>, Integer> seen = new IdentityHashMap<>();
    for (int place = 0; place < devices.length; place++) {
      SortedSet<Integer> its = devices[place].numaNodes();
      Integer kind = seen.get(its);
      if (kind == null) {
        kind = numbers.computeIfAbsent(new Kind(its), _ -> numbers.size());
        if (kind == nodes.size()) nodes.add(its);
        seen.put(its, kind);
      }
      ofPlace[place] = kind;
    }
    if (nodes.size() > FEW) return new DeviceKinds(nodes, new BitSet[0], ofPlace);
    BitSet[] places = new BitSet[nodes.size()];
    for (int kind = 0; kind < places.length; kind++) places[kind] = new BitSet(devices.length);
    for (int place = 0; place < devices.length; place++) places[ofPlace[place]].set(place);
    return new DeviceKinds(nodes, places, new int[0]);
  }

  /// The NUMA nodes of a device. A set's own hash code is a sum: of the many sets that a hostile
  /// plugin can list, a thousand have the same.
  private record Kind(SortedSet<Integer> nodes) {
    @Override
    public int hashCode() {
      int hash = 1;
      for (int node : nodes) hash = 31 * hash + node;
      return hash * 0x9e3779b1;
    }
  }

  /// The NUMA nodes of each kind; one of them may be without any.
  public List<SortedSet<Integer>> nodes() {
    return nodes;
  }

  /// How many of the devices at these places are of each kind.
  public int[] counts(BitSet some) {
    int[] counts = new int[nodes.size()];
    if (isFew()) {
      for (int kind = 0; kind < counts.length; kind++)
        counts[kind] = common(some, places[kind]).cardinality();
    } else {
      for (int place = some.nextSetBit(0); place >= 0; place = some.nextSetBit(place + 1))
        counts[ofPlace[place]]++;
    }
    return counts;
  }

  /// Those of these places whose devices are of one of the kinds; the caller's own.
  ///
  /// @param kinds their numbers
  public BitSet ofKinds(BitSet kinds, BitSet some) {
    var all = new BitSet();
    if (isFew()) {
      kinds.stream().forEach(kind -> all.or(common(some, places[kind])));
    } else {
      for (int place = some.nextSetBit(0); place >= 0; place = some.nextSetBit(place + 1))
        if (kinds.get(ofPlace[place])) all.set(place);
    }
    return all;
  }

  private boolean isFew() {
    return nodes.size() <= FEW;
  }

  private static BitSet common(BitSet one, BitSet other) {
    var both = (BitSet) one.clone();
    both.and(other);
    return both;
  }
}
