package dev.patchbay.drivers;

/// How a device node is looked at.
public enum HealthCheck {
  /// It is there and is a device. Touches nothing.
  EXISTS,
  /// It can be opened for reading as well. For some devices that has effects of its own: a serial
  /// line raises its signals, a watchdog starts.
  OPEN
}
