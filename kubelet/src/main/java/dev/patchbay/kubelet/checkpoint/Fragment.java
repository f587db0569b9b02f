package dev.patchbay.kubelet.checkpoint;

import dev.patchbay.kubelet.checkpoint.Checkpoint.Entry;
import java.util.Base64;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A piece of a checkpoint as it stands in the file, and as its checksum sees it. Whoever writes a
/// file after each change keeps the pieces that did not change.
public final class Fragment {
  /// The numbers of a byte in decimal: an answer of a few hundred bytes is printed as such.
  private static final List<String> NUMBERS =
      IntStream.rangeClosed(0, 0xff).mapToObj(Integer::toString).toList();

  final byte[] json;
  final byte[] dump;

  Fragment(ByteText json, ByteText dump) {
    this.json = json.bytes();
    this.dump = dump.bytes();
  }

  /// What one container holds of one resource.
  public static Fragment of(Entry entry) {
    var json =
        new ByteText(256)
            .add("{\"PodUID\":")
            .quoted(entry.podUid())
            .add(",\"ContainerName\":")
            .quoted(entry.container())
            .add(",\"ResourceName\":")
            .quoted(entry.resource())
            .add(",\"DeviceIDs\":");
    SortedMap<Long, @Nullable List<String>> devices = entry.devices();
    if (devices == null) {
      json.add("null");
    } else {
      // The keys are strings in JSON, and sorted as such.
      SortedMap<String, @Nullable List<String>> byName = new TreeMap<>();
      for (Map.Entry<Long, @Nullable List<String>> each : devices.entrySet())
        byName.put(String.valueOf(each.getKey()), each.getValue());
      String separator = "{";
      for (Map.Entry<String, @Nullable List<String>> each : byName.entrySet()) {
        json.add(separator).quoted(each.getKey()).add(":");
        ids(json, each.getValue());
        separator = ",";
      }
      json.add(byName.isEmpty() ? "{}" : "}");
    }
    json.add(",\"AllocResp\":");
    String answer = entry.answer();
    if (answer == null) json.add("null");
    else json.quoted(answer);
    return new Fragment(json.add("}"), dump(entry));
  }

  /// The text that Go's `spew` printer gives of an entry.
  private static ByteText dump(Entry entry) {
    var dump =
        new ByteText(512)
            .add("{PodUID:(string)")
            .add(entry.podUid())
            .add(" ContainerName:(string)")
            .add(entry.container())
            .add(" ResourceName:(string)")
            .add(entry.resource())
            .add(" DeviceIDs:(checkpoint.DevicesPerNUMA)");
    SortedMap<Long, @Nullable List<String>> devices = entry.devices();
    if (devices == null) {
      dump.add("<nil>");
    } else {
      String separator = "map[";
      for (Map.Entry<Long, @Nullable List<String>> each : devices.entrySet()) {
        dump.add(separator).add(String.valueOf(each.getKey())).add(":");
        dumpIds(dump, each.getValue());
        separator = " ";
      }
      dump.add(devices.isEmpty() ? "map[]" : "]");
    }
    dump.add(" AllocResp:([]uint8)");
    String answer = entry.answer();
    if (answer == null) {
      dump.add("<nil>");
    } else {
      String separator = "[";
      byte[] bytes = Base64.getDecoder().decode(answer);
      for (byte each : bytes) {
        dump.add(separator).add(NUMBERS.get(each & 0xff));
        separator = " ";
      }
      dump.add(bytes.length == 0 ? "[]" : "]");
    }
    return dump.add("}");
  }

  /// The healthy devices of one resource.
  static Fragment registered(String resource, @Nullable List<String> ids) {
    if (ids == null)
      return new Fragment(
          new ByteText(16).quoted(resource).add(":null"),
          new ByteText(16).add(resource).add(":<nil>"));
    var all = new BitSet();
    all.set(0, ids.size());
    return IdTexts.of(ids).registered(resource, all);
  }

  private static void ids(ByteText json, @Nullable List<String> ids) {
    if (ids == null) {
      json.add("null");
      return;
    }
    String separator = "[";
    for (String id : ids) {
      json.add(separator).quoted(id);
      separator = ",";
    }
    json.add(ids.isEmpty() ? "[]" : "]");
  }

  private static void dumpIds(ByteText dump, @Nullable List<String> ids) {
    if (ids == null) {
      dump.add("<nil>");
      return;
    }
    String separator = "[";
    for (String id : ids) {
      dump.add(separator).add(id);
      separator = " ";
    }
    dump.add(ids.isEmpty() ? "[]" : "]");
  }
}
