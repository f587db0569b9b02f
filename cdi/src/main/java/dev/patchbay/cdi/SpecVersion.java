package dev.patchbay.cdi;

import java.util.List;
import java.util.Optional;

/// The versions of the specification, and since which of them a field exists. A spec that uses a
/// younger field than its version is invalid, as for the reference library.
enum SpecVersion {
  V0_3_0,
  V0_4_0,
  V0_5_0,
  V0_6_0,
  V0_7_0,
  V0_8_0,
  V1_0_0;

  /// Versions that brought nothing that concerns us stand for the one before them.
  static Optional<SpecVersion> of(String text) {
    return Optional.ofNullable(
        switch (text) {
          case "0.3.0", "0.3.1" -> V0_3_0;
          case "0.4.0" -> V0_4_0;
          case "0.5.0" -> V0_5_0;
          case "0.6.0" -> V0_6_0;
          case "0.7.0" -> V0_7_0;
          case "0.8.0" -> V0_8_0;
          case "1.0.0" -> V1_0_0;
          default -> null;
        });
  }

  /// The oldest version that has all that these devices use, which most consumers read; as
  /// `MinimumRequiredVersion` of the reference library.
  static SpecVersion leastFor(CdiKind kind, List<CdiSpec.Device> devices) {
    SpecVersion least = kind.className().contains(".") ? V0_6_0 : V0_3_0;
    for (CdiSpec.Device device : devices) least = later(least, leastFor(device));
    return least;
  }

  private static SpecVersion leastFor(CdiSpec.Device device) {
    CdiEdits edits = device.edits();
    if (!edits.intelRdt().isEmpty() || !edits.additionalGids().isEmpty()) return V0_7_0;
    if (!device.annotations().isEmpty()) return V0_6_0;
    if (Character.isDigit(device.name().charAt(0))
        || edits.deviceNodes().stream().anyMatch(node -> !node.hostPath().equals(node.path())))
      return V0_5_0;
    return edits.mounts().stream().allMatch(mount -> mount.type().isEmpty()) ? V0_3_0 : V0_4_0;
  }

  private static SpecVersion later(SpecVersion one, SpecVersion other) {
    return one.compareTo(other) < 0 ? other : one;
  }

  static List<String> known() {
    return List.of("0.3.0", "0.3.1", "0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.0", "1.0.0");
  }

  @Override
  public String toString() {
    return name().substring(1).replace('_', '.');
  }
}
