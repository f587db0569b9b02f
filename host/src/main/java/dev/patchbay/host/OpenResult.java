package dev.patchbay.host;

/// What happened when a device node was opened and closed again.
public sealed interface OpenResult {
  /// It can be opened.
  record Opened() implements OpenResult {}

  /// Somebody else has it (EBUSY): it works.
  record Busy() implements OpenResult {}

  /// This process may not open it (EPERM, EACCES), as in a container without the device; says
  /// nothing about the device.
  record NotPermitted() implements OpenResult {}

  /// The driver refuses (ENXIO, ENODEV, EIO and the like).
  record Failed(String why) implements OpenResult {}

  /// The driver did not answer in time.
  record TimedOut() implements OpenResult {}
}
