package dev.patchbay.cli;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/// The version that the build wrote into the archive's manifest.
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String version =
        Optional.ofNullable(Patchbay.class.getPackage().getImplementationVersion())
            .orElse("development");
    return new String[] {"patchbay " + version, "Java " + Runtime.version()};
  }
}
