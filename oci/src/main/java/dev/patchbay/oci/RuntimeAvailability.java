package dev.patchbay.oci;

import java.nio.file.Path;

/// Whether containers can be run here.
public sealed interface RuntimeAvailability {
  /// They can.
  ///
  /// @param program absolute path of the OCI runtime
  /// @param version its first line of `--version`
  record Available(Path program, String version) implements RuntimeAvailability {}

  /// They cannot.
  ///
  /// @param why for a person, one line
  record Missing(String why) implements RuntimeAvailability {}
}
