package dev.patchbay.drivers.devicenode;

import dev.patchbay.drivers.devicenode.DeviceNodeConfig.IdScheme;
import dev.patchbay.model.DeviceId;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/// Ids of devices made of paths or USB devices.
final class DeviceIds {
  /// The longest id that the API's comment allows.
  private static final int LONGEST = 63;

  private DeviceIds() {}

  /// The id of one copy of a device.
  ///
  /// @param names readable names of the parts, in order
  /// @param paths host paths of the parts, in order
  /// @param copy which of the copies of one device, from 0
  /// @param copies how many there are
  static DeviceId of(
      IdScheme scheme, List<String> names, List<String> paths, int copy, int copies) {
    return switch (scheme) {
      case COMPAT -> DeviceId.of(sha1(copy + String.join("", paths)));
      case STABLE -> {
        String name = String.join("+", names) + (copies > 1 ? "-" + copy : "");
        yield DeviceId.of(name.length() <= LONGEST ? name : sha1(name));
      }
    };
  }

  /// `/dev/serial/by-id/x` as `serial_by-id_x`, the root directory as `root`.
  static String nameOf(String path) {
    if (path.equals("/")) return "root";
    String below = path.startsWith("/dev/") ? path.substring("/dev/".length()) : path.substring(1);
    return below.replace('/', '_').replaceAll("[^A-Za-z0-9_.:@=-]", "-");
  }

  /// A serial number with its odd characters replaced.
  static String nameOfSerial(String serial) {
    return serial.replaceAll("[^A-Za-z0-9_.:@=-]", "-");
  }

  private static String sha1(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-1", e);
    }
  }
}
