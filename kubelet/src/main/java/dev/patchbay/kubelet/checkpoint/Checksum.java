package dev.patchbay.kubelet.checkpoint;

import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/// The checksum of a checkpoint: a [GoChecksum] of the kubelet's structure `checkpointData`.
final class Checksum {
  private Checksum() {}

  /// The checksum as the unsigned number that stands in the file.
  static long of(Checkpoint checkpoint) {
    return GoChecksum.of(text(checkpoint));
  }

  /// The text that is hashed.
  static String text(Checkpoint checkpoint) {
    return "(checkpoint.checkpointData){PodDeviceEntries:([]checkpoint.PodDevicesEntry)"
        + entries(checkpoint.entries())
        + " RegisteredDevices:(map[string][]string)"
        + map(checkpoint.registered())
        + "}";
  }

  private static String entries(@Nullable List<Checkpoint.Entry> entries) {
    if (entries == null) return "<nil>";
    var text = new StringJoiner(" ", "[", "]");
    for (Checkpoint.Entry entry : entries)
      text.add(
          "{PodUID:(string)"
              + entry.podUid()
              + " ContainerName:(string)"
              + entry.container()
              + " ResourceName:(string)"
              + entry.resource()
              + " DeviceIDs:(checkpoint.DevicesPerNUMA)"
              + map(entry.devices())
              + " AllocResp:([]uint8)"
              + bytes(entry.answer())
              + "}");
    return text.toString();
  }

  private static <K extends Comparable<K>> String map(
      @Nullable SortedMap<K, @Nullable List<String>> map) {
    if (map == null) return "<nil>";
    var text = new StringJoiner(" ", "map[", "]");
    for (Map.Entry<K, @Nullable List<String>> entry : map.entrySet()) {
      List<String> ids = entry.getValue();
      text.add(entry.getKey() + ":" + (ids == null ? "<nil>" : "[" + String.join(" ", ids) + "]"));
    }
    return text.toString();
  }

  private static String bytes(@Nullable String base64) {
    if (base64 == null) return "<nil>";
    var text = new StringJoiner(" ", "[", "]");
    for (byte each : Base64.getDecoder().decode(base64)) text.add(Integer.toString(each & 0xff));
    return text.toString();
  }
}
