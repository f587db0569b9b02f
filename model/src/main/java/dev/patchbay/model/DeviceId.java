package dev.patchbay.model;

import java.util.Optional;

/// The id of one device within its resource: opaque to the kubelet, stable over restarts and
/// hotplug.
///
/// @param value not empty, without control characters; the API's comment wants at most 63
///   characters, which no kubelet enforces
public record DeviceId(String value) implements Comparable<DeviceId> {
  public DeviceId {
    problemOf(value)
        .ifPresent(problem -> {
          throw new IllegalArgumentException(problem);
        });
  }

  /// Why a text is no device id; empty when it is one.
  public static Optional<String> problemOf(String value) {
    if (value.isEmpty()) return Optional.of("a device id is empty");
    // Ten thousand of them come with one list.
    int length = value.length();
    for (int i = 0; i < length; i++)
      if (Character.isISOControl(value.charAt(i)))
        return Optional.of(
            "device id has a control character: " + value.replaceAll("\\p{Cntrl}", "?"));
    return Optional.empty();
  }

  /// The id with this text.
  public static DeviceId of(String value) {
    return new DeviceId(value);
  }

  @Override
  public int compareTo(DeviceId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
