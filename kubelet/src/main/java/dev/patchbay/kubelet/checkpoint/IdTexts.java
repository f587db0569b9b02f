package dev.patchbay.kubelet.checkpoint;

import java.util.BitSet;
import java.util.List;

/// The ids of a list as they stand in a checkpoint, and as its checksum sees them, one after the
/// other: what some of them look like is put together from whole stretches. Immutable.
public final class IdTexts {
  private final Stretches json;
  private final Stretches dump;

  private IdTexts(Stretches json, Stretches dump) {
    this.json = json;
    this.dump = dump;
  }

  /// The texts of these ids, in their order.
  public static IdTexts of(List<String> ids) {
    var json = new ByteText(16 * ids.size());
    var dump = new ByteText(16 * ids.size());
    int[] jsonEnds = new int[ids.size()];
    int[] dumpEnds = new int[ids.size()];
    int place = 0;
    for (String id : ids) {
      json.quoted(id).add(",");
      dump.add(id).add(" ");
      jsonEnds[place] = json.length();
      dumpEnds[place++] = dump.length();
    }
    return new IdTexts(
        new Stretches(json.bytes(), jsonEnds), new Stretches(dump.bytes(), dumpEnds));
  }

  /// The healthy devices of one resource.
  ///
  /// @param which places in the list of those that are healthy
  public Fragment registered(String resource, BitSet which) {
    var inJson = new ByteText(json.text.length + 64).quoted(resource).add(":[");
    var inDump = new ByteText(dump.text.length + 64).add(resource).add(":[");
    json.addTo(inJson, which);
    dump.addTo(inDump, which);
    return new Fragment(inJson.add("]"), inDump.add("]"));
  }

  /// A text of parts, each of which ends with a separator of one byte.
  private static final class Stretches {
    private final byte[] text;
    private final int[] ends;

    Stretches(byte[] text, int[] ends) {
      this.text = text;
      this.ends = ends;
    }

    void addTo(ByteText whole, BitSet which) {
      int end = 0;
      for (int from = which.nextSetBit(0); from >= 0; from = which.nextSetBit(end)) {
        if (end > 0) whole.add(text, ends[end - 1] - 1, ends[end - 1]);
        end = which.nextClearBit(from);
        whole.add(text, from == 0 ? 0 : ends[from - 1], ends[end - 1] - 1);
      }
    }
  }
}
