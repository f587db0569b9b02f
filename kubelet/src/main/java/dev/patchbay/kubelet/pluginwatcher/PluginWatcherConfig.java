package dev.patchbay.kubelet.pluginwatcher;

import java.nio.file.Path;
import java.time.Duration;

/// Settings of the plugin watcher.
///
/// @param directory `plugins_registry`, absolute
/// @param passEvery pause between two passes over what has to be done
/// @param dialTimeout how long a connection to a socket may take
/// @param infoTimeout deadline of GetInfo
/// @param notifyTimeout deadline of NotifyRegistrationStatus
/// @param firstRetry pause after the first failure at a socket; doubles with each further one
/// @param longestRetry the longest of these pauses
/// @param refused what becomes of a plugin whose handler refused it
public record PluginWatcherConfig(
    Path directory,
    Duration passEvery,
    Duration dialTimeout,
    Duration infoTimeout,
    Duration notifyTimeout,
    Duration firstRetry,
    Duration longestRetry,
    Refused refused) {
  /// What becomes of a plugin that was valid but could not be registered, or could not be told so.
  public enum Refused {
    /// It is tried again, as by kubelets since 1.36.
    TRIED_AGAIN,
    /// It counts as registered and is left alone until its socket is made anew, as by kubelets up
    /// to 1.35.
    LEFT_ALONE
  }

  public PluginWatcherConfig {
    if (!directory.isAbsolute())
      throw new IllegalArgumentException("the plugin registry is relative: " + directory);
    if (!passEvery.isPositive() || !firstRetry.isPositive())
      throw new IllegalArgumentException(
          "pauses are not positive: passes every " + passEvery + ", retries from " + firstRetry);
    if (longestRetry.compareTo(firstRetry) < 0)
      throw new IllegalArgumentException(
          "retry pauses are from " + firstRetry + " to " + longestRetry);
  }

  /// The kubelet's own settings for this directory.
  public static PluginWatcherConfig of(Path directory) {
    return new PluginWatcherConfig(
        directory,
        Duration.ofSeconds(1),
        Duration.ofSeconds(10),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofMillis(500),
        Duration.ofSeconds(122),
        Refused.TRIED_AGAIN);
  }

  /// The same settings with this pause between two passes.
  public PluginWatcherConfig withPassEvery(Duration newPause) {
    return new PluginWatcherConfig(
        directory,
        newPause,
        dialTimeout,
        infoTimeout,
        notifyTimeout,
        firstRetry,
        longestRetry,
        refused);
  }

  /// The same settings with this fate of refused plugins.
  public PluginWatcherConfig with(Refused newRefused) {
    return new PluginWatcherConfig(
        directory,
        passEvery,
        dialTimeout,
        infoTimeout,
        notifyTimeout,
        firstRetry,
        longestRetry,
        newRefused);
  }
}
