package dev.patchbay.kubelet.topology;

import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/// The sets of NUMA nodes that hints are sought among.
///
/// Of up to 16 nodes these are all non-empty subsets, as in the kubelet. There are 2^n of them, and
/// the kubelet does not end in any useful time with many more; so of more nodes they are the
/// subsets of up to k nodes, with the largest k that makes no more than 65,536 of them, and the
/// whole set.
public final class NumaSubsets {
  /// Of how many nodes all subsets are there.
  static final int ALL_UP_TO = 16;

  private static final int MOST = 1 << ALL_UP_TO;

  private NumaSubsets() {}

  /// The subsets in the kubelet's order: by their size, those of one size lexicographically by
  /// their ascending ids.
  public static List<NumaMask> of(NumaMask nodes) {
    return LongStream.of(bitsOf(nodes, MOST)).mapToObj(NumaMask::new).toList();
  }

  /// The same as bits.
  ///
  /// @param most how many there may be of more than 16 nodes, without the whole set
  static long[] bitsOf(NumaMask nodes, int most) {
    int n = nodes.size();
    int widest = n <= ALL_UP_TO ? n : widestOf(n, Math.min(most, MOST));
    var collected = new Collected(nodes.bits());
    for (int size = 1; size <= widest; size++) collected.addAllOf(n, size);
    if (widest < n) collected.add(-1L >>> (Long.SIZE - n));
    return collected.toArray();
  }

  /// The largest size up to which there are no more than so many subsets.
  private static int widestOf(int n, int most) {
    long count = 0;
    long ofSize = 1;
    for (int size = 1; size <= n; size++) {
      ofSize = ofSize * (n - size + 1) / size;
      count += ofSize;
      if (count > most) return size - 1;
    }
    return n;
  }

  /// Subsets of positions, each turned into a subset of the nodes.
  private static final class Collected {
    private final long nodes;
    private long[] bits = new long[256];
    private int count;

    Collected(long nodes) {
      this.nodes = nodes;
    }

    void add(long positions) {
      if (count == bits.length) bits = Arrays.copyOf(bits, count * 2);
      bits[count++] = Long.expand(positions, nodes);
    }

    void addAllOf(int n, int size) {
      int[] chosen = new int[size];
      Arrays.setAll(chosen, i -> i);
      while (true) {
        long positions = 0;
        for (int position : chosen) positions |= 1L << position;
        add(positions);
        int last = size - 1;
        while (last >= 0 && chosen[last] == n - size + last) last--;
        if (last < 0) return;
        chosen[last]++;
        for (int i = last + 1; i < size; i++) chosen[i] = chosen[i - 1] + 1;
      }
    }

    long[] toArray() {
      return Arrays.copyOf(bits, count);
    }
  }
}
