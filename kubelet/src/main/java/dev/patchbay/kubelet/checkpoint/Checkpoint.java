package dev.patchbay.kubelet.checkpoint;

import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// The content of the checkpoint file as it was written. Null and empty are different things here:
/// the checksum tells them apart.
///
/// @param entries what containers hold; written as null when there is none
/// @param registered ids of the healthy devices by resource name; only the names are used when it
///   is read
public record Checkpoint(
    @Nullable List<Entry> entries, @Nullable SortedMap<String, @Nullable List<String>> registered) {
  /// What one container holds of one resource.
  ///
  /// @param devices ids by NUMA node, -1 for none
  /// @param answer the plugin's answer, a `ContainerAllocateResponse` in protobuf's encoding, as
  ///   base64
  public record Entry(
      String podUid,
      String container,
      String resource,
      @Nullable SortedMap<Long, @Nullable List<String>> devices,
      @Nullable String answer) {}
}
