package dev.patchbay.sdk;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/// Keeps one plugin registered in one way, for ever: looks where it stands, does the next thing,
/// waits for something to change.
abstract sealed class Registration permits SocketRegistration, RegistryRegistration {
  private final Consumer<PluginState> onState;
  private final Backoff backoff;
  private final Signal signal = new Signal();
  private Optional<Endpoint> endpoint = Optional.empty();
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
