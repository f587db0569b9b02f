package dev.patchbay.node;

import dev.patchbay.oci.Bundle;
import dev.patchbay.oci.BundleSpec;
import dev.patchbay.oci.ContainerStatus;
import dev.patchbay.oci.OciRuntime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.zip.CRC32;

/// Containers by an OCI runtime.
///
/// @param node tells this node's containers from those of another on the same machine
record RuntimeContainers(OciRuntime runtime, String node) implements Containers {
  /// Containers of the node with this directory.
  static RuntimeContainers of(Path program, Path directory) {
    CRC32 sum = new CRC32();
    sum.update(directory.toString().getBytes(StandardCharsets.UTF_8));
    return new RuntimeContainers(
        new OciRuntime(program, directory.resolve("runtime")), "%08x".formatted(sum.getValue()));
  }

  @Override
  public Optional<String> whyNone() {
    return Optional.empty();
  }

  @Override
  public ContainerStatus status(Path bundle) throws IOException, InterruptedException {
    return runtime.status(id(bundle), new Bundle(bundle));
  }

  @Override
  public ContainerStatus start(Path bundle, BundleSpec cgroupless)
      throws IOException, InterruptedException {
    runtime.delete(id(bundle));
    new Bundle(bundle).write(cgroupless.withCgroup("/" + id(bundle)));
    return runtime.run(id(bundle), new Bundle(bundle));
  }

  @Override
  public void awaitEnd(Path bundle) throws IOException, InterruptedException {
    try {
      runtime.whenEnded(id(bundle), new Bundle(bundle)).get();
    } catch (ExecutionException e) {
      throw new IOException("cannot wait for container " + id(bundle), e);
    }
  }

  @Override
  public void stop(Path bundle, Duration grace) throws IOException, InterruptedException {
    runtime.stop(id(bundle), new Bundle(bundle), grace);
  }

  @Override
  public void remove(Path bundle, Duration grace) throws IOException, InterruptedException {
    stop(bundle, grace);
    new Bundle(bundle).remove();
  }

  /// The container's name for the runtime, and of its cgroup: unique on the machine. A container's
  /// name has no `_`, so that no two pairs of pod and container give the same.
  private String id(Path bundle) {
    int count = bundle.getNameCount();
    return "patchbay-" + node + "-" + bundle.getName(count - 2) + "_" + bundle.getName(count - 1);
  }
}
