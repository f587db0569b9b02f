package dev.patchbay.testkit;

import dev.patchbay.kubelet.Admission;
import dev.patchbay.kubelet.DeviceManagerConfig;
import dev.patchbay.kubelet.Kubelet;
import dev.patchbay.kubelet.KubeletSettings;
import dev.patchbay.kubelet.NodeResources;
import dev.patchbay.kubelet.pods.PodManifest;
import dev.patchbay.kubelet.pods.PodManifests;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/// A kubelet's device manager for the test of a plugin: it registers plugins, counts devices,
/// admits pods and says what their containers get, but starts no container.
///
/// ```java
/// try (var kubelet = EmbeddedKubelet.start();
///     var host = PluginHost.start(PluginHostConfig.of(kubelet.directory()))) {
///   host.serve(ResourceName.of("example.com/fuse"), new FusePlugin(…));
///   kubelet.awaitAllocatable("example.com/fuse", 2);
///   kubelet.admit(pod);
///   assertThat(kubelet.runOptions("demo", "main").deviceNodes()).…
/// }
/// ```
///
/// One thread drives it.
public final class EmbeddedKubelet implements KubeletUnderTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Path directory;
  private final DeviceManagerConfig config;
  private final boolean directoryIsOurs;
  private final Map<String, PodSpec> pods = new HashMap<>();
  private Kubelet manager;

  private EmbeddedKubelet(Path directory, DeviceManagerConfig config, boolean directoryIsOurs)
      throws IOException {
    this.directory = directory;
    this.config = config;
    this.directoryIsOurs = directoryIsOurs;
    manager = startManager(config, List.of());
  }

  /// Starts one in a new temporary directory, which goes away with it.
  public static EmbeddedKubelet start() throws IOException {
    // Short, since a socket's path has at most 107 bytes.
    Path directory = Files.createTempDirectory(Path.of("/tmp"), "pbk");
    return new EmbeddedKubelet(
        directory, DeviceManagerConfig.of(directory.resolve("device-plugins")), true);
  }

  /// Starts one in this directory, `/var/lib/kubelet` so to speak, which stays.
  public static EmbeddedKubelet startIn(Path kubeletDir) throws IOException {
    return new EmbeddedKubelet(
        kubeletDir, DeviceManagerConfig.of(kubeletDir.resolve("device-plugins")), false);
  }

  /// The same with another deadline of all calls that wait for the plugin's author.
  public static EmbeddedKubelet startIn(Path kubeletDir, Duration callTimeout) throws IOException {
    DeviceManagerConfig usual = DeviceManagerConfig.of(kubeletDir.resolve("device-plugins"));
    var config =
        new DeviceManagerConfig(
            usual.devicePluginDir(),
            usual.endpointGrace(),
            usual.dialTimeout(),
            callTimeout,
            callTimeout);
    return new EmbeddedKubelet(kubeletDir, config, false);
  }

  private static Kubelet startManager(DeviceManagerConfig config, Collection<PodSpec> known)
      throws IOException {
    var manager = new Kubelet(KubeletSettings.of(config), InstantSource.system());
    manager.start(Set.of());
    known.forEach(manager::know);
    manager.sourcesReady(true);
    return manager;
  }

  /// The kubelet's directory, for `PluginHostConfig.of`.
  public Path directory() {
    return directory;
  }

  /// Where `kubelet.sock` lies and the plugins' sockets.
  public Path devicePluginDir() {
    return config.devicePluginDir();
  }

  @Override
  public SortedMap<String, Long> capacity() {
    return named(manager.nodeResources().capacity());
  }

  @Override
  public SortedMap<String, Long> allocatable() {
    return named(manager.nodeResources().allocatable());
  }

  private static SortedMap<String, Long> named(Map<ResourceName, Long> counts) {
    SortedMap<String, Long> named = new TreeMap<>();
    counts.forEach((resource, count) -> named.put(resource.toString(), count));
    return named;
  }

  /// Waits until so many devices of a resource are healthy, for at most half a minute.
  ///
  /// @throws AssertionError when they are not; says what there is
  public void awaitAllocatable(String resource, long count) throws InterruptedException {
    ResourceName name = ResourceName.of(resource);
    if (!manager.awaitResources(now -> healthy(now, name) == count, PATIENCE))
      throw new AssertionError(
          "after %s there are %s; waited for %d healthy of %s"
              .formatted(PATIENCE, manager.nodeResources(), count, resource));
  }

  private static long healthy(NodeResources now, ResourceName resource) {
    return now.allocatable().getOrDefault(resource, 0L);
  }

  @Override
  public Optional<Rejection> admit(String manifest) {
    PodSpec pod = read(manifest);
    pods.put(pod.name(), pod);
    return switch (manager.admit(pod)) {
      case Admission.Admitted _ -> Optional.empty();
      case Admission.Refused refused ->
          Optional.of(new Rejection(refused.reason(), refused.message()));
    };
  }

  private static PodSpec read(String manifest) {
    PodManifest read = PodManifests.read("pod.yaml", manifest);
    if (!read.problems().isEmpty() || read.pods().size() != 1)
      throw new IllegalArgumentException(
          "needed is the manifest of one pod, found are %d and problems %s"
              .formatted(read.pods().size(), read.problems()));
    return read.pods().getFirst();
  }

  @Override
  public ContainerEdits runOptions(String pod, String container) throws IOException {
    return manager.runOptions(admitted(pod), container).orElse(ContainerEdits.NONE);
  }

  @Override
  public void release(String pod) {
    manager.release(admitted(pod).uid());
    pods.remove(pod);
  }

  private PodSpec admitted(String name) {
    PodSpec pod = pods.get(name);
    if (pod == null)
      throw new IllegalArgumentException(
          "no pod " + name + " was admitted, but " + List.copyOf(pods.keySet()));
    return pod;
  }

  /// Stops and starts again in the same directory, as plugins see it on an update of the kubelet.
  public void restart() throws IOException {
    manager.close();
    manager = startManager(config, pods.values());
  }

  /// Ends as a killed process does; [#restart] starts it again.
  @Override
  public void kill() throws IOException {
    // A server removes the file that it made; with another change time it is not that file.
    Path socket = devicePluginDir().resolve("kubelet.sock");
    Path link = devicePluginDir().resolve("link-to-kubelet.sock");
    Files.createLink(link, socket);
    manager.close();
    Files.delete(link);
  }

  /// Stops. May be called twice.
  @Override
  public void close() throws IOException {
    manager.close();
    if (!directoryIsOurs || Files.notExists(directory)) return;
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path path : tree.sorted((a, b) -> b.compareTo(a)).toList()) Files.deleteIfExists(path);
    }
  }
}
