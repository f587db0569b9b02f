package dev.patchbay.bench;

import static dev.patchbay.bench.Unit.MEBIBYTES;
import static dev.patchbay.bench.Unit.MICROSECONDS;
import static dev.patchbay.bench.Unit.MILLISECONDS;

/// What is compared with Go plugins, in the order in which it is shown.
enum PeerMeasure {
  START(
      "exec to all resources registered and listed",
      MILLISECONDS,
      false,
      "from just before the plugin's program (ours: its start script) takes the place of a shell, to the arrival of the last first list"),
  RESIDENT_IDLE(
      "resident memory idle",
      MEBIBYTES,
      true,
      "VmRSS 10 s after the registration, of the process and those it started; all plugins run side by side"),
  IDLE_CPU(
      "CPU time in a minute of idleness",
      MILLISECONDS,
      true,
      "what the scheduler counts for all its threads in 60 s after that, in nanoseconds"),
  ALLOCATE_P50(
      "Allocate, p50",
      MICROSECONDS,
      false,
      "10,000 calls by the same Go client, one device, one call at a time, after 1,000 that do not count"),
  ALLOCATE_P99("Allocate, p99", MICROSECONDS, false, "the same calls"),
  ALLOCATE_MAX("Allocate, max", MICROSECONDS, false, "the same calls"),
  RESIDENT_USED(
      "resident memory after the Allocates", MEBIBYTES, true, "VmRSS just after the last call"),
  RESTART(
      "kubelet.sock back to all registered and listed",
      MILLISECONDS,
      false,
      "from just before a new kubelet clears its directory and listens, to the last list; it was away for 250 ms"),
  APPEAR(
      "a device appears: to a new list received",
      MILLISECONDS,
      false,
      "from just before the program starts that makes it, to the arrival of the next list"),
  VANISH(
      "a device goes: to a new list received",
      MILLISECONDS,
      false,
      "the same with the program that takes it away"),
  MANY_LIST(
      "10,000 devices: Register to list",
      MILLISECONDS,
      false,
      "from the arrival of Register to that of the list"),
  MANY_MORE(
      "10,000 devices: more resident memory",
      MEBIBYTES,
      false,
      "VmRSS 10 s after that, less the median with few devices"),
  ON_DISK(
      "size on disk",
      MEBIBYTES,
      true,
      "all files of our distribution with its Java runtime; of a Go plugin the files of its folder");

  private final String label;
  private final Unit unit;
  private final boolean adds;
  private final String how;

  PeerMeasure(String label, Unit unit, boolean adds, String how) {
    this.label = label;
    this.unit = unit;
    this.adds = adds;
    this.how = how;
  }

  String label() {
    return label;
  }

  Unit unit() {
    return unit;
  }

  /// Whether several plugins on one node take the sum of it.
  boolean adds() {
    return adds;
  }

  /// From where to where.
  String how() {
    return how;
  }
}
