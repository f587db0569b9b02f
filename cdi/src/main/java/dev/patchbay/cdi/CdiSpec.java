package dev.patchbay.cdi;

import java.util.List;
import java.util.Map;

/// What one spec file says: devices of one kind.
///
/// @param version of the CDI specification, `0.6.0`
/// @param annotations of the spec
/// @param devices no name twice
/// @param edits applied once to a container that gets any of the devices, before theirs
public record CdiSpec(
    String version,
    CdiKind kind,
    Map<String, String> annotations,
    List<Device> devices,
    CdiEdits edits) {
  public CdiSpec {
    annotations = Map.copyOf(annotations);
    devices = List.copyOf(devices);
  }

  /// A spec of the newest version that every consumer of today reads.
  public static CdiSpec of(CdiKind kind, List<Device> devices) {
    return new CdiSpec("0.6.0", kind, Map.of(), devices, CdiEdits.NONE);
  }

  /// One device.
  ///
  /// @param name last part of its [CdiName]
  public record Device(String name, Map<String, String> annotations, CdiEdits edits) {
    public Device {
      annotations = Map.copyOf(annotations);
    }

    /// A device without annotations.
    public static Device of(String name, CdiEdits edits) {
      return new Device(name, Map.of(), edits);
    }
  }
}
