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

  /// A spec of the oldest version that has all that these devices use: consumers refuse the
  /// versions that came after them, as podman 4.3 does everything above 0.5.0.
  public static CdiSpec of(CdiKind kind, List<Device> devices) {
    String version = SpecVersion.leastFor(kind, devices).toString();
    return new CdiSpec(version, kind, Map.of(), devices, CdiEdits.NONE);
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
