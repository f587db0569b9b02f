package dev.patchbay.kubelet.topology;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// A set of NUMA nodes of which each has an id from 0 to 63.
///
/// The natural order is the kubelet's: the set with fewer nodes first, of two with as many the one
/// that is the smaller number without sign, which has the lower ids.
///
/// @param bits bit `i` is set when node `i` is in the set
public record NumaMask(long bits) implements Comparable<NumaMask> {
  /// How many nodes there can be.
  public static final int MAX_NODES = 64;

  /// No node.
  public static final NumaMask EMPTY = new NumaMask(0);

  private static final Comparator<NumaMask> NARROWER_FIRST =
      Comparator.comparingInt(NumaMask::size)
          .thenComparing((one, other) -> Long.compareUnsigned(one.bits, other.bits));

  /// The set of these nodes.
  ///
  /// @throws IllegalArgumentException when an id is not from 0 to 63
  public static NumaMask of(int... nodes) {
    long bits = 0;
    for (int node : nodes) bits |= bit(node);
    return new NumaMask(bits);
  }

  /// The set of these nodes.
  ///
  /// @throws IllegalArgumentException when an id is not from 0 to 63
  public static NumaMask of(Collection<Integer> nodes) {
    long bits = 0;
    for (int node : nodes) bits |= bit(node);
    return new NumaMask(bits);
  }

  private static long bit(int node) {
    if (!isId(node))
      throw new IllegalArgumentException(
          "NUMA node " + node + " in a mask; bit number must be in range 0-63");
    return 1L << node;
  }

  /// Whether a set can have a node with this id.
  public static boolean isId(int node) {
    return node >= 0 && node < MAX_NODES;
  }

  /// How many nodes.
  public int size() {
    return Long.bitCount(bits);
  }

  /// Whether it has no node.
  public boolean isEmpty() {
    return bits == 0;
  }

  /// Whether this node is in the set; false for ids that no set can have.
  public boolean contains(int node) {
    return isId(node) && (bits & 1L << node) != 0;
  }

  /// Whether all nodes of the other set are in this one.
  public boolean containsAll(NumaMask other) {
    return (other.bits & ~bits) == 0;
  }

  /// Whether a node is in both.
  public boolean touches(NumaMask other) {
    return (bits & other.bits) != 0;
  }

  /// The nodes that are in both.
  public NumaMask and(NumaMask other) {
    return new NumaMask(bits & other.bits);
  }

  /// The nodes that are in one of them.
  public NumaMask or(NumaMask other) {
    return new NumaMask(bits | other.bits);
  }

  /// The nodes of this set that are not in the other.
  public NumaMask without(NumaMask other) {
    return new NumaMask(bits & ~other.bits);
  }

  /// The ids in ascending order.
  public SortedSet<Integer> nodes() {
    SortedSet<Integer> nodes = new TreeSet<>();
    for (long left = bits; left != 0; left &= left - 1) nodes.add(Long.numberOfTrailingZeros(left));
    return Collections.unmodifiableSortedSet(nodes);
  }

  /// Whether the kubelet takes this set before the other one.
  public boolean isNarrowerThan(NumaMask other) {
    return compareTo(other) < 0;
  }

  @Override
  public int compareTo(NumaMask other) {
    return NARROWER_FIRST.compare(this, other);
  }

  /// Such as `{0,3}`.
  @Override
  public String toString() {
    return nodes().stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
  }
}
