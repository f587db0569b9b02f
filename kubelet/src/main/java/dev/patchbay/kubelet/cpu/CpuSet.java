package dev.patchbay.kubelet.cpu;

import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.IntStream;

/// A set of logical CPUs by their number, immutable. Its text is the kernel's list format, as in
/// `0-3,8`; that of the empty set is empty (`man 7 cpuset`, "List format").
public final class CpuSet {
  /// No CPU.
  public static final CpuSet EMPTY = new CpuSet(new BitSet());

  /// The highest number that a set may hold: more than any kernel can be built for.
  private static final int HIGHEST = 1 << 20;

  // Never changed after construction.
  private final BitSet bits;

  private CpuSet(BitSet bits) {
    this.bits = bits;
  }

  /// The set of these CPUs.
  public static CpuSet of(int... cpus) {
    var bits = new BitSet();
    for (int cpu : cpus) bits.set(cpu);
    return new CpuSet(bits);
  }

  /// The set of these CPUs.
  public static CpuSet of(Collection<Integer> cpus) {
    return of(cpus.stream().mapToInt(Integer::intValue).toArray());
  }

  /// Reads the list format.
  ///
  /// @throws IllegalArgumentException when a part is neither a number nor a range of two
  public static CpuSet parse(String list) {
    var bits = new BitSet();
    if (list.isEmpty()) return EMPTY;
    for (String part : list.split(",", -1)) {
      int dash = part.indexOf('-');
      int first = number(dash < 0 ? part : part.substring(0, dash), list);
      int last = dash < 0 ? first : number(part.substring(dash + 1), list);
      if (first > last)
        throw new IllegalArgumentException(
            "invalid range \"" + part + "\" (" + first + " > " + last + ")");
      bits.set(first, last + 1);
    }
    return new CpuSet(bits);
  }

  private static int number(String text, String list) {
    int number = -1;
    try {
      number = Integer.parseInt(text);
    } catch (NumberFormatException e) {
      // Answered below, together with numbers that no CPU has.
    }
    if (number < 0 || number > HIGHEST)
      throw new IllegalArgumentException(
          "\"" + text + "\" in the list of CPUs \"" + list + "\" is not the number of a CPU");
    return number;
  }

  /// How many CPUs these are.
  public int size() {
    return bits.cardinality();
  }

  /// Whether there is none.
  public boolean isEmpty() {
    return bits.isEmpty();
  }

  /// Whether this CPU is one of them.
  public boolean contains(int cpu) {
    return bits.get(cpu);
  }

  /// Whether all CPUs of the other set are in this one.
  public boolean containsAll(CpuSet other) {
    return other.minus(this).isEmpty();
  }

  /// What is in one or both.
  public CpuSet union(CpuSet other) {
    var union = copy();
    union.or(other.bits);
    return new CpuSet(union);
  }

  /// What is in both.
  public CpuSet intersection(CpuSet other) {
    var intersection = copy();
    intersection.and(other.bits);
    return new CpuSet(intersection);
  }

  /// What is here and not there.
  public CpuSet minus(CpuSet other) {
    var rest = copy();
    rest.andNot(other.bits);
    return new CpuSet(rest);
  }

  /// The numbers, ascending.
  public IntStream stream() {
    return bits.stream();
  }

  /// The numbers, ascending.
  public List<Integer> toList() {
    return stream().boxed().toList();
  }

  private BitSet copy() {
    return (BitSet) bits.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CpuSet set && bits.equals(set.bits);
  }

  @Override
  public int hashCode() {
    return bits.hashCode();
  }

  @Override
  public String toString() {
    var list = new StringJoiner(",");
    for (int first = bits.nextSetBit(0); first >= 0; ) {
      int end = bits.nextClearBit(first);
      list.add(end - first == 1 ? String.valueOf(first) : first + "-" + (end - 1));
      first = bits.nextSetBit(end);
    }
    return list.toString();
  }
}
