package dev.patchbay.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.checkpoint.Checkpoint;
import dev.patchbay.kubelet.checkpoint.CheckpointFile;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.registration.PluginObserver;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/// A device manager in a directory of its own, with its plugins; all of it goes away with [#close].
final class KubeletSide implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Path root;
  private final Deque<ScriptedPlugin> plugins = new ArrayDeque<>();
  private final Duration timeout;
  private final PluginObserver observer;
  private KubeletEvents events = KubeletEvents.NONE;
  private Kubelet manager;
  final FakeClock clock = new FakeClock();

  private KubeletSide(Path root, Duration timeout, PluginObserver observer) {
    this.timeout = timeout;
    this.root = root;
    this.observer = observer;
    manager = newManager(UnaryOperator.identity());
  }

  /// A device manager that listens, with all pods of the node known.
  static KubeletSide started() {
    return started(PATIENCE, PluginObserver.NONE);
  }

  /// The same with other settings, and with somebody who sees what plugins are asked.
  static KubeletSide startedWith(UnaryOperator<KubeletSettings> change, PluginObserver observer) {
    KubeletSide side = started(PATIENCE, observer);
    side.restartWith(change);
    return side;
  }

  /// A device manager that soon gives up a plugin that hangs.
  static KubeletSide impatient() {
    return started(Duration.ofSeconds(2), PluginObserver.NONE);
  }

  /// A device manager below an existing directory with a short path, which is emptied at the end.
  static KubeletSide startedIn(Path root) {
    return started(root, PATIENCE, PluginObserver.NONE);
  }

  private static KubeletSide started(Duration timeout, PluginObserver observer) {
    try {
      return started(Files.createTempDirectory(Path.of("/tmp"), "pbk"), timeout, observer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static KubeletSide started(Path root, Duration timeout, PluginObserver observer) {
    var side = new KubeletSide(root, timeout, observer);
    side.start(Set.of());
    side.manager.sourcesReady(true);
    return side;
  }

  private Kubelet newManager(UnaryOperator<KubeletSettings> change) {
    return new Kubelet(
        change.apply(
            KubeletSettings.of(
                new DeviceManagerConfig(
                    directory(), Duration.ofMinutes(5), timeout, timeout, timeout))),
        clock,
        events,
        observer);
  }

  private void start(Set<RuntimeContainer> running) {
    try {
      manager.start(running);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Stops the manager and starts another on the same directory, which does not know all pods yet.
  Kubelet restart(RuntimeContainer... running) {
    return restarted(UnaryOperator.identity(), running);
  }

  /// The same with other settings.
  Kubelet restarted(UnaryOperator<KubeletSettings> change, RuntimeContainer... running) {
    manager.close();
    manager = newManager(change);
    start(Set.of(running));
    return manager;
  }

  /// Restarts with other settings, and with all pods of the node known.
  Kubelet restartWith(UnaryOperator<KubeletSettings> change) {
    restarted(change).sourcesReady(true);
    return manager;
  }

  /// Restarts with other settings and tells these from now on.
  Kubelet restartWith(UnaryOperator<KubeletSettings> change, KubeletEvents told) {
    events = told;
    return restartWith(change);
  }

  Kubelet manager() {
    return manager;
  }

  Path directory() {
    return root.resolve("device-plugins");
  }

  /// A plugin whose socket is open, not registered yet.
  ScriptedPlugin plugin(String endpoint) {
    var plugin = new ScriptedPlugin(directory(), endpoint).open();
    plugins.push(plugin);
    return plugin;
  }

  /// A plugin that is registered and has listed these healthy devices.
  ScriptedPlugin registered(ResourceName resource, String... ids) {
    ScriptedPlugin plugin = plugin(resource.name() + ".sock").list(ids);
    assertThat(plugin.register(resource)).isEmpty();
    awaitAllocatable(resource, ids.length);
    return plugin;
  }

  void awaitAllocatable(ResourceName resource, long count) {
    await(
        now -> Optional.ofNullable(now.allocatable().get(resource)).equals(Optional.of(count)),
        count + " allocatable " + resource);
  }

  void awaitCapacity(ResourceName resource, long count) {
    await(
        now -> Optional.ofNullable(now.capacity().get(resource)).equals(Optional.of(count)),
        "a capacity of " + count + " " + resource);
  }

  /// Waits until the list that was counted is in the checkpoint as well, which is written after
  /// that: from then on nothing touches the directory that the test does not ask for.
  KubeletSide settled() {
    Awaitility.await("the checkpoint as it will be written next")
        .atMost(PATIENCE)
        .until(() ->
            new CheckpointFile(directory())
                .read()
                .map(Checkpoint::registered)
                .equals(Optional.of(healthy())));
    return this;
  }

  private SortedMap<String, List<String>> healthy() {
    SortedMap<String, List<String>> all = new TreeMap<>();
    manager
        .devices()
        .inventory()
        .resources()
        .forEach((name, state) -> {
          if (state.everListed())
            all.put(name.toString(), state.healthy().stream().map(DeviceId::value).toList());
        });
    return all;
  }

  private void await(Predicate<NodeResources> condition, String what) {
    try {
      assertThat(manager.awaitResources(condition, PATIENCE))
          .as("%s within %s; last seen: %s", what, PATIENCE, manager.nodeResources())
          .isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for " + what, e);
    }
  }

  /// `capacity/allocatable` of a resource, `-` for one that the node does not show.
  String counts(ResourceName resource) {
    NodeResources now = manager.nodeResources();
    return now.capacity().containsKey(resource)
        ? now.capacity().get(resource) + "/" + now.allocatable().get(resource)
        : "-";
  }

  /// What a container holds of a resource, `[a, b]`.
  String held(String podUid, String container, ResourceName resource) {
    return manager
        .held()
        .getOrDefault(podUid, new TreeMap<>())
        .getOrDefault(container, new TreeMap<>())
        .getOrDefault(resource, new TreeSet<DeviceId>())
        .toString();
  }

  /// The message with which a pod is refused; fails when it is admitted.
  String refusal(PodSpec pod) {
    return switch (manager.admit(pod)) {
      case Admission.Admitted _ ->
          throw new AssertionError("admitted, with " + manager.held().get(pod.uid()));
      case Admission.Refused refused -> refused.reason() + ": " + refused.message();
    };
  }

  /// Admits a pod; fails when it is refused.
  void admit(PodSpec pod) {
    assertThat(manager.admit(pod)).isEqualTo(new Admission.Admitted());
  }

  @Override
  public void close() throws IOException {
    manager.close();
    plugins.forEach(ScriptedPlugin::close);
    try (Stream<Path> tree = Files.walk(root)) {
      for (Path path : tree.sorted((a, b) -> b.compareTo(a)).toList()) Files.delete(path);
    }
  }
}
