package dev.patchbay.bench;

import java.time.Duration;
import java.util.Locale;

/// How often things are measured, of each candidate.
///
/// @param starts processes that are started to be timed and ended
/// @param lives processes that go through all the rest, one after the other
/// @param settle from the registration to the first look at the memory
/// @param idle for how long CPU time is watched
/// @param warmUpCalls Allocate calls before those that count, in each life
/// @param calls Allocate calls that count, in each life
/// @param appearances devices that appear, in each life
/// @param restarts of the kubelet, and as many times it is killed, in each life
/// @param down how long the kubelet is away
/// @param manyStarts starts with many devices
/// @param manyDevices how many these are
record Effort(
    int starts,
    int lives,
    Duration settle,
    Duration idle,
    int warmUpCalls,
    int calls,
    int appearances,
    int restarts,
    Duration down,
    int manyStarts,
    int manyDevices) {
  /// A quarter of an hour.
  static final Effort FULL =
      new Effort(
          15,
          3,
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          1_000,
          10_000,
          200,
          30,
          Duration.ofMillis(250),
          5,
          10_000);

  /// Enough for everything to have happened once: what it gives counts for nothing.
  Effort rehearsal() {
    return new Effort(
        1, 1, Duration.ZERO, Duration.ZERO, warmUpCalls, 0, 2, 1, down, 1, manyDevices);
  }

  /// A text about measures with these numbers in their places: `{settle}`, `{idle}` and so on.
  String fill(String text) {
    return text.replace("{settle}", seconds(settle))
        .replace("{idle}", seconds(idle))
        .replace("{warmUpCalls}", grouped(warmUpCalls))
        .replace("{allCalls}", grouped(warmUpCalls + calls))
        .replace("{allRestarts}", grouped(2 * restarts))
        .replace("{down}", down.toMillis() + " ms")
        .replace("{manyDevices}", grouped(manyDevices));
  }

  private static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.3g s", time.toMillis() / 1000.0);
  }

  private static String grouped(int count) {
    return String.format(Locale.ROOT, "%,d", count);
  }
}
