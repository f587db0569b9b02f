package dev.patchbay.cli;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/// The version that the build wrote into the archive's manifest.
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {"patchbay " + number(), "Java " + Runtime.version()};
  }

  /// Ours alone.
  static String number() {
    return Optional.ofNullable(Patchbay.class.getPackage().getImplementationVersion())
        .orElse("development");
  }
}
