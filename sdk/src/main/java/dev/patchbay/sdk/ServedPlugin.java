package dev.patchbay.sdk;

import dev.patchbay.model.ResourceName;
import java.time.Duration;
import java.util.function.Predicate;

/// One plugin under the care of a [PluginHost].
public final class ServedPlugin implements AutoCloseable {
  private ServedPlugin() {}

  /// Its resource.
  public ResourceName resource() {
    throw new UnsupportedOperationException();
  }

  /// Where it stands now.
  public PluginState state() {
    throw new UnsupportedOperationException();
  }

  /// Waits until its state is one that the condition accepts.
  ///
  /// @return whether it was in that time
  public boolean awaitState(Predicate<PluginState> condition, Duration atMost)
      throws InterruptedException {
    throw new UnsupportedOperationException();
  }

  /// Withdraws this plugin alone.
  @Override
  public void close() {}
}
