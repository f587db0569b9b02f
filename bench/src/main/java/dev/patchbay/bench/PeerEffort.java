package dev.patchbay.bench;

import java.time.Duration;

/// How often things are measured, of each plugin.
///
/// @param starts plugins that are started to be timed and ended
/// @param lives plugins that go through all the rest
/// @param settle from the registration to the look at the memory
/// @param idle for how long CPU time is watched
/// @param warmUpCalls Allocate calls before those that count, in each life
/// @param calls Allocate calls that count, in each life
/// @param restarts of the kubelet, in each life
/// @param down how long the kubelet is away
/// @param changes devices that come and go, in each life
/// @param manyStarts starts with many devices
record PeerEffort(
    int starts,
    int lives,
    Duration settle,
    Duration idle,
    int warmUpCalls,
    int calls,
    int restarts,
    Duration down,
    int changes,
    int manyStarts) {
  /// Twenty minutes with five Go plugins.
  static final PeerEffort FULL =
      new PeerEffort(
          10,
          3,
          Duration.ofSeconds(10),
          Duration.ofSeconds(60),
          1_000,
          10_000,
          3,
          Duration.ofMillis(250),
          3,
          3);
}
