package dev.patchbay.sdk;

import dev.patchbay.model.ResourceName;
import dev.patchbay.rpc.Transport;
import dev.patchbay.sdk.PluginHostConfig.Way;
import dev.patchbay.watch.FileIdentity;
import dev.patchbay.watch.PathWatch;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.random.RandomGenerator;

/// Shows device plugins to the kubelet of this node: one per process, with one watch on the
/// kubelet's directory and one set of threads for all its plugins.
///
/// ```java
/// try (var host = PluginHost.start(PluginHostConfig.of(Path.of("/var/lib/kubelet")))) {
///   host.serve(ResourceName.of("example.com/fuse"), new FusePlugin());
///   host.awaitShutdown();
/// }
/// ```
public final class PluginHost implements AutoCloseable {
  private final PluginHostConfig config;
  private final Transport transport = Transport.open();
  private final PathWatch watch;
  private final RandomGenerator random = RandomGenerator.getDefault();
  private final Map<ResourceName, ServedPlugin> served = new ConcurrentHashMap<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread watcher =
      Thread.ofVirtual().name("patchbay-kubelet-watch").unstarted(this::watchKubelet);

  private PluginHost(PluginHostConfig config) {
    this.config = config;
    watch = PathWatch.open(PathWatch.Targets.ofDirectories(directoriesOf(config)));
  }

  private static Set<Path> directoriesOf(PluginHostConfig config) {
    Set<Path> directories = new HashSet<>();
    for (Way way : config.ways())
      directories.add(
          switch (way) {
            case KUBELET_SOCK -> config.devicePluginDir();
            case PLUGINS_REGISTRY -> config.pluginsRegistryDir();
          });
    return directories;
  }

  /// Starts a host without plugins. Never fails because of a missing kubelet.
  public static PluginHost start(PluginHostConfig config) {
    var host = new PluginHost(config);
    host.watcher.start();
    return host;
  }

  private void watchKubelet() {
    try {
      while (closed.getCount() > 0) {
        boolean isEvent = watch.await(config.rescanEvery());
        Optional<FileIdentity> kubelet = FileIdentity.of(config.kubeletSocket());
        served.values().forEach(each -> each.look(kubelet, !isEvent));
      }
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  /// Serves a plugin and keeps it registered until it or this host is closed. Returns at once.
  ///
  /// @throws IllegalStateException when the resource is served already, or this host is closed
  public ServedPlugin serve(ResourceName resource, DevicePlugin plugin) {
    var added =
        new ServedPlugin(
            transport,
            config,
            resource,
            plugin,
            closing -> served.remove(resource, closing),
            random);
    if (closed.getCount() == 0) throw new IllegalStateException("this plugin host is closed");
    if (served.putIfAbsent(resource, added) != null)
      throw new IllegalStateException("resource " + resource + " is served already");
    added.start();
    return added;
  }

  /// Waits until the process is asked to end (SIGTERM, SIGINT) or this host is closed; plugins are
  /// withdrawn then.
  public void awaitShutdown() throws InterruptedException {
    var hook = new Thread(this::close, "patchbay-shutdown");
    Runtime.getRuntime().addShutdownHook(hook);
    closed.await();
  }

  /// Withdraws all plugins: streams end, sockets are removed. May be called twice.
  @Override
  public void close() {
    closed.countDown();
    watch.close();
    watcher.interrupt();
    // Each waits for its own end: ask all before waiting for the first.
    List<Thread> closing =
        served.values().stream().map(each -> Thread.ofVirtual().start(each::close)).toList();
    try {
      for (Thread thread : closing) thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    transport.close();
  }
}
