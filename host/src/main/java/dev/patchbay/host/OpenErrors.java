package dev.patchbay.host;

/// What an error of open(2) says about a device.
final class OpenErrors {
  private OpenErrors() {}

  /// @param error the C library's text (`Device or resource busy`) or the error's name (`EBUSY`)
  static OpenResult of(String error) {
    return switch (error) {
      case "EBUSY", "Device or resource busy" -> new OpenResult.Busy();
      case "EPERM", "Operation not permitted", "EACCES", "Permission denied" ->
          new OpenResult.NotPermitted();
      default -> new OpenResult.Failed(error);
    };
  }
}
