package dev.patchbay.sdk;

import dev.patchbay.model.ResourceName;
import dev.patchbay.rpc.Transport;
import dev.patchbay.sdk.PluginHostConfig.Way;
import dev.patchbay.watch.FileIdentity;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/// One plugin under the care of a [PluginHost].
public final class ServedPlugin implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.sdk");
  private static final Duration END = Duration.ofSeconds(10);

  private final ResourceName resource;
  private final Consumer<ServedPlugin> onClose;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<Way, PluginState> states = new EnumMap<>(Way.class);
  private final List<Registration> registrations;
  private final List<Thread> threads;

  ServedPlugin(
      Transport transport,
      PluginHostConfig config,
      ResourceName resource,
      DevicePlugin plugin,
      Consumer<ServedPlugin> onClose,
      RandomGenerator random) {
    this.resource = resource;
    this.onClose = onClose;
    config.ways().forEach(way -> states.put(way, new PluginState.WaitingForDevices()));
    registrations =
        config.ways().stream()
            .<Registration>map(way ->
                switch (way) {
                  case KUBELET_SOCK ->
                      new SocketRegistration(
                          transport,
                          config,
                          resource,
                          plugin,
                          state -> changeTo(way, state),
                          random);
                  case PLUGINS_REGISTRY ->
                      new RegistryRegistration(
                          transport,
                          config,
                          resource,
                          plugin,
                          state -> changeTo(way, state),
                          random);
                })
            .toList();
    threads =
        registrations.stream()
            .map(registration ->
                Thread.ofVirtual()
                    .name("patchbay-register-" + resource)
                    .unstarted(() -> registration.run(plugin.devices())))
            .toList();
  }

  void start() {
    threads.forEach(Thread::start);
  }

  /// The kubelet's directories may have changed; see [Registration#isConcerned].
  void look(Optional<FileIdentity> kubeletSocket, boolean thoroughly) {
    for (Registration each : registrations)
      if (each.isConcerned(kubeletSocket, thoroughly)) each.wake();
  }

  /// Its resource.
  public ResourceName resource() {
    return resource;
  }

  /// Where it stands now; of several ways to register the one that came furthest.
  public PluginState state() {
    lock.lock();
    try {
      return furthest();
    } finally {
      lock.unlock();
    }
  }

  /// Waits until its state is one that the condition accepts.
  ///
  /// @return whether it was in that time
  public boolean awaitState(Predicate<PluginState> condition, Duration atMost)
      throws InterruptedException {
    long nanos = atMost.toNanos();
    lock.lockInterruptibly();
    try {
      while (!condition.test(furthest())) {
        if (nanos <= 0) return false;
        nanos = changed.awaitNanos(nanos);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  private PluginState furthest() {
    PluginState best = new PluginState.Closed();
    for (PluginState state : states.values()) if (rank(state) > rank(best)) best = state;
    return best;
  }

  private static int rank(PluginState state) {
    return switch (state) {
      case PluginState.Closed _ -> 0;
      case PluginState.WaitingForDevices _ -> 1;
      case PluginState.WaitingForKubelet _ -> 2;
      case PluginState.Registered _ -> 3;
      case PluginState.Listed _ -> 4;
    };
  }

  private void changeTo(Way way, PluginState state) {
    PluginState before;
    lock.lock();
    try {
      before = states.put(way, state);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (!state.equals(before)) log(way, state);
  }

  private void log(Way way, PluginState state) {
    switch (state) {
      case PluginState.WaitingForDevices _ ->
          LOG.log(System.Logger.Level.DEBUG, "waiting for devices resource=" + resource);
      case PluginState.WaitingForKubelet waiting ->
          LOG.log(
              System.Logger.Level.WARNING,
              "waiting for kubelet resource="
                  + resource
                  + " way="
                  + way
                  + " reason="
                  + waiting.reason());
      case PluginState.Registered _ ->
          LOG.log(
              System.Logger.Level.DEBUG,
              "registered, not listed yet resource=" + resource + " way=" + way);
      case PluginState.Listed _ ->
          LOG.log(System.Logger.Level.INFO, "registered resource=" + resource + " way=" + way);
      case PluginState.Closed _ ->
          LOG.log(System.Logger.Level.INFO, "withdrawn resource=" + resource + " way=" + way);
    }
  }

  /// Withdraws this plugin alone: its streams end, its sockets are removed. Waits until that is
  /// done. May be called twice.
  @Override
  public void close() {
    threads.forEach(Thread::interrupt);
    try {
      for (Thread thread : threads)
        if (!thread.join(END))
          LOG.log(System.Logger.Level.ERROR, "plugin does not end resource=" + resource);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    onClose.accept(this);
  }
}
