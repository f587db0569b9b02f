package dev.patchbay.node;

import dev.patchbay.oci.BundleSpec;
import dev.patchbay.oci.ContainerStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Containers that do nothing until the test ends them; they outlive the node as real ones do.
final class InMemoryContainers implements Containers {
  private final Map<Path, ContainerStatus> statuses = new HashMap<>();
  private final Map<Path, BundleSpec> specs = new HashMap<>();
  private final Map<String, List<ContainerStatus>> scripts = new HashMap<>();
  private final List<String> started = new ArrayList<>();
  private final List<Duration> graces = new ArrayList<>();
  private long pid = 1000;

  /// How long containers that were stopped had to end by themselves.
  synchronized List<Duration> graces() {
    return List.copyOf(graces);
  }

  /// What becomes of a container at its next starts; it runs where nothing is scripted.
  synchronized void script(String container, ContainerStatus... outcomes) {
    scripts.put(container, new ArrayList<>(List.of(outcomes)));
  }

  synchronized void end(String container, int exitCode) {
    statuses.replaceAll((path, status) ->
        path.endsWith(container) && status instanceof ContainerStatus.Running
            ? new ContainerStatus.Ended(exitCode)
            : status);
    notifyAll();
  }

  /// Names of the containers in the order of their starts.
  synchronized List<String> started() {
    return List.copyOf(started);
  }

  synchronized BundleSpec spec(String container) {
    return specs.entrySet().stream()
        .filter(entry -> entry.getKey().endsWith(container))
        .findFirst()
        .orElseThrow()
        .getValue();
  }

  synchronized boolean isEmpty() {
    return statuses.isEmpty();
  }

  @Override
  public Optional<String> whyNone() {
    return Optional.empty();
  }

  @Override
  public synchronized ContainerStatus status(Path bundle) {
    return statuses.getOrDefault(bundle, new ContainerStatus.Absent());
  }

  @Override
  public synchronized ContainerStatus start(Path bundle, BundleSpec spec) throws IOException {
    Files.createDirectories(bundle);
    String name = bundle.getFileName().toString();
    started.add(name);
    specs.put(bundle, spec);
    List<ContainerStatus> script = scripts.getOrDefault(name, new ArrayList<>());
    ContainerStatus status =
        script.isEmpty() ? new ContainerStatus.Running(pid++) : script.removeFirst();
    statuses.put(bundle, status);
    notifyAll();
    return status;
  }

  @Override
  public synchronized void awaitEnd(Path bundle) throws InterruptedException {
    while (status(bundle) instanceof ContainerStatus.Running) wait();
  }

  @Override
  public synchronized void stop(Path bundle, Duration grace) {
    graces.add(grace);
    statuses.computeIfPresent(bundle, (path, status) -> new ContainerStatus.Ended(0));
    notifyAll();
  }

  @Override
  public synchronized void remove(Path bundle, Duration grace) throws IOException {
    statuses.remove(bundle);
    notifyAll();
    Files.deleteIfExists(bundle);
  }
}
