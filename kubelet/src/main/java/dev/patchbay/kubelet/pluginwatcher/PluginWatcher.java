package dev.patchbay.kubelet.pluginwatcher;

import dev.patchbay.kubelet.pluginwatcher.RegistryState.Step;
import dev.patchbay.kubelet.wire.Excerpt;
import dev.patchbay.rpc.Transport;
import dev.patchbay.watch.PathWatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/// Registers the plugins whose sockets lie in `plugins_registry`, for as long as they lie there.
///
/// One thread looks at the registry whenever something in it may have changed and starts what has
/// to be done, in passes with at least a second between them; each step has a thread of its own, so
/// that a plugin that hangs holds up no other. A plugin stays registered when only its list's
/// stream ends: not before its socket is made anew is it asked again.
///
/// Thread-safe. The lock is not held while a plugin or a handler is asked.
public final class PluginWatcher implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.kubelet");
  private static final Duration LOOK_AROUND = Duration.ofSeconds(30);

  private final PluginWatcherConfig config;
  private final Map<String, PluginHandler> handlers;
  private final InstantSource clock;
  private final Transport transport = Transport.open();
  private final PathWatch watch;
  private final ReentrantLock lock = new ReentrantLock();
  private final Set<Thread> steps = ConcurrentHashMap.newKeySet();
  private final Thread thread =
      Thread.ofVirtual().name("patchbay-plugin-watcher").unstarted(this::run);
  private RegistryTree tree = RegistryTree.EMPTY; // of the one thread
  private RegistryState state = RegistryState.EMPTY;
  private volatile boolean closed;

  /// Makes a watcher; nothing is looked at before [#start].
  ///
  /// @param handlers by the kind of plugin that they take: `DevicePlugin`
  public PluginWatcher(
      PluginWatcherConfig config, Map<String, PluginHandler> handlers, InstantSource clock) {
    this.config = config;
    this.handlers = Map.copyOf(handlers);
    this.clock = clock;
    watch = PathWatch.open(PathWatch.Targets.ofDirectories(Set.of(config.directory())));
  }

  /// Makes the directory when it is missing and begins to watch.
  ///
  /// @throws IOException when it cannot be made; names it
  public void start() throws IOException {
    try {
      Files.createDirectories(config.directory());
    } catch (IOException e) {
      throw new IOException(
          "cannot use the plugin registry " + config.directory() + ": " + e.getMessage(), e);
    }
    thread.start();
  }

  /// What is in the registry and what of it is registered, now.
  public WatchedPlugins plugins() {
    RegistryState now = state();
    return new WatchedPlugins(
        Collections.unmodifiableSortedSet(new TreeSet<>(now.wanted().keySet())),
        Collections.unmodifiableSortedSet(new TreeSet<>(now.registered().keySet())));
  }

  private void run() {
    Instant nextPass = clock.instant();
    try {
      while (!closed) {
        look();
        Instant now = clock.instant();
        if (!now.isBefore(nextPass)) {
          startWhatIsDue(now);
          nextPass = now.plus(config.passEvery());
        }
        Duration untilPass = Duration.between(clock.instant(), nextPass);
        if (state().isSettled()) watch.await(LOOK_AROUND);
        else if (untilPass.isPositive()) watch.await(untilPass);
      }
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  /// Walks until a walk finds no directory that was not watched while it walked.
  private void look() {
    Set<Path> watched;
    do {
      watched = Set.copyOf(tree.directories().keySet());
      tree = RegistryTree.read(config.directory(), tree);
      RegistryTree seen = tree;
      change(state -> state.seen(seen).tidied());
      Set<Path> targets = new HashSet<>(tree.directories().keySet());
      targets.add(config.directory());
      watch.retarget(PathWatch.Targets.ofDirectories(targets));
    } while (!closed && !watched.containsAll(tree.directories().keySet()));
  }

  private void startWhatIsDue(Instant now) {
    List<Step> due = state().due(now);
    change(state -> state.started(due));
    for (Step step : due) {
      Thread running =
          Thread.ofVirtual()
              .name("patchbay-plugin-" + step.socket().getFileName())
              .unstarted(() -> take(step));
      steps.add(running);
      running.start();
    }
  }

  private void take(Step step) {
    try {
      switch (step) {
        case Step.Register register -> register(register);
        case Step.Deregister deregister -> deregister(deregister);
      }
      change(state -> state.succeeded(step.socket()));
    } catch (IOException | RuntimeException e) {
      if (!closed)
        LOG.log(
            System.Logger.Level.WARNING,
            "plugin not registered socket="
                + step.socket()
                + " reason="
                + Excerpt.line(String.valueOf(e.getMessage())));
      Instant when = clock.instant();
      change(
          state -> state.failed(step.socket(), when, config.firstRetry(), config.longestRetry()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      steps.remove(Thread.currentThread());
      watch.wake();
    }
  }

  private void register(Step.Register step) throws IOException, InterruptedException {
    new PluginRegistration(transport, config, handlers, step.socket())
        .run(
            new PluginRegistration.Progress() {
              @Override
              public void beginning(PluginHandler handler, String name, Path endpoint) {
                var plugin = new RegistryState.Registered(step.number(), handler, name, endpoint);
                change(state -> state.with(step.socket(), plugin));
              }

              @Override
              public void undone() {
                switch (config.refused()) {
                  case TRIED_AGAIN -> change(state -> state.without(step.socket()));
                  case LEFT_ALONE -> {}
                }
              }
            });
    LOG.log(System.Logger.Level.INFO, "plugin found and registered socket=" + step.socket());
  }

  private void deregister(Step.Deregister step) {
    change(state -> state.without(step.socket()));
    step.plugin().handler().deregister(step.plugin().name(), step.plugin().endpoint());
    LOG.log(
        System.Logger.Level.INFO,
        "plugin taken off socket=" + step.socket() + " name=" + step.plugin().name());
  }

  private RegistryState state() {
    lock.lock();
    try {
      return state;
    } finally {
      lock.unlock();
    }
  }

  private void change(UnaryOperator<RegistryState> to) {
    lock.lock();
    try {
      state = to.apply(state);
    } finally {
      lock.unlock();
    }
  }

  /// Ends the watch and what is being done. Plugins that are registered stay so with their handler.
  /// May be called twice, and before [#start].
  @Override
  public void close() {
    closed = true;
    watch.close();
    thread.interrupt();
    transport.close();
    try {
      if (thread.isAlive()) thread.join();
      for (Thread step : List.copyOf(steps)) {
        step.interrupt();
        step.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
