package dev.patchbay.sdk;

import dev.patchbay.watch.FileIdentity;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/// Keeps one plugin registered in one way, for ever: looks where it stands, does the next thing,
/// waits for something to change.
abstract sealed class Registration permits SocketRegistration, RegistryRegistration {
  /// The host looks at the directories from time to time and wakes whom they concern.
  static final Duration UNTIL_WOKEN = Duration.ofHours(1);

  private final Consumer<PluginState> onState;
  private final Backoff backoff;
  private final Signal signal = new Signal();
  private volatile Optional<Endpoint> endpoint = Optional.empty();
  private int failures;
  private long nextAttempt = System.nanoTime();

  Registration(Consumer<PluginState> onState, Backoff backoff) {
    this.onState = onState;
    this.backoff = backoff;
  }

  /// Looks again: the directory, the list streams or the feed may have changed.
  final void wake() {
    signal.wake();
  }

  /// Whether the kubelet's directories look different from what this acted on last. Asked by
  /// another thread after each event there, so that of many plugins those look again that have to:
  /// each socket that one of them makes is an event for all.
  ///
  /// @param kubeletSocket what `kubelet.sock` is now
  /// @param thoroughly whether the own socket file is told from another one of its name
  abstract boolean isConcerned(Optional<FileIdentity> kubeletSocket, boolean thoroughly);

  /// Runs until interrupted; the endpoint is closed then.
  final void run(DeviceFeed feed) {
    try {
      state(new PluginState.WaitingForDevices());
      while (feed.awaitNewerThan(0, Duration.ofHours(1)).isEmpty()) {}
      prepare();
      while (true) step();
    } catch (InterruptedException e) {
      // Withdrawn.
    } finally {
      dropEndpoint();
      state(new PluginState.Closed());
    }
  }

  /// Once, before the first step.
  abstract void prepare() throws InterruptedException;

  /// One look and what follows from it; waits inside.
  abstract void step() throws InterruptedException;

  final void state(PluginState state) {
    onState.accept(state);
  }

  final void await(Duration atMost) throws InterruptedException {
    signal.await(atMost);
  }

  final Optional<Endpoint> endpoint() {
    return endpoint;
  }

  final void replaceEndpoint(Endpoint newEndpoint) {
    endpoint = Optional.of(newEndpoint);
  }

  final void dropEndpoint() {
    endpoint.ifPresent(Endpoint::close);
    endpoint = Optional.empty();
  }

  final boolean hasLostItsSocket(boolean thoroughly) {
    return endpoint
        .filter(it -> thoroughly ? !it.isReachable() : !it.socket().toFile().exists())
        .isPresent();
  }

  /// The last attempt failed: the next one has to wait.
  final void failed(String reason) {
    failures++;
    nextAttempt = System.nanoTime() + backoff.after(failures).toNanos();
    state(new PluginState.WaitingForKubelet(reason));
  }

  final void succeeded() {
    failures = 0;
    nextAttempt = System.nanoTime();
  }

  /// How long the next attempt has to wait still; zero when it is due.
  final Duration untilNextAttempt() {
    return Duration.ofNanos(Math.max(0, nextAttempt - System.nanoTime()));
  }
}
