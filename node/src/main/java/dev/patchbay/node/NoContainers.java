package dev.patchbay.node;

import dev.patchbay.oci.Bundle;
import dev.patchbay.oci.BundleSpec;
import dev.patchbay.oci.ContainerStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// No containers at all, on a machine without a runtime or without the right to use it.
record NoContainers(String why) implements Containers {
  @Override
  public Optional<String> whyNone() {
    return Optional.of(why);
  }

  @Override
  public ContainerStatus status(Path bundle) {
    return new ContainerStatus.Absent();
  }

  @Override
  public ContainerStatus start(Path bundle, BundleSpec cgroupless) {
    return new ContainerStatus.NotStarted(why);
  }

  @Override
  public void awaitEnd(Path bundle) {}

  @Override
  public void stop(Path bundle, Duration grace) {}

  @Override
  public void remove(Path bundle, Duration grace) throws IOException {
    new Bundle(bundle).remove();
  }
}
