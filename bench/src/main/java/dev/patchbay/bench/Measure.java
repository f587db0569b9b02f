package dev.patchbay.bench;

import static dev.patchbay.bench.Unit.MEBIBYTES;
import static dev.patchbay.bench.Unit.MICROSECONDS;
import static dev.patchbay.bench.Unit.MILLISECONDS;

/// What is measured, in the order in which it is shown.
enum Measure {
  START(
      "start: exec to all resources registered and listed",
      MILLISECONDS,
      "0.5 s",
      "from the start of the process, its shell script included, to the arrival of the last of eight resources' first list"),
  APPEARANCE(
      "a device appears: to its list received",
      MILLISECONDS,
      "20 ms",
      "from just before a file is created that the configuration takes for a device, to the arrival of the list that has it"),
  ALLOCATE(
      "Allocate over the socket",
      MICROSECONDS,
      "",
      "from the call in this program to the answer; one device, one call at a time, after {warmUpCalls} calls that do not count"),
  RESTART(
      "the kubelet restarts: kubelet.sock to all listed again",
      MILLISECONDS,
      "",
      "from just before the new kubelet clears its directory and listens, to the last of eight lists; it was away for {down}, its socket removed"),
  KILL(
      "the kubelet was killed: kubelet.sock to all listed again",
      MILLISECONDS,
      "",
      "the same after a kubelet that left its dead socket behind"),
  RESIDENT_IDLE(
      "memory idle: resident",
      MEBIBYTES,
      "80 MiB",
      "VmRSS {settle} after the registration, before the first Allocate"),
  ANONYMOUS_IDLE(
      "memory idle: anonymous part",
      MEBIBYTES,
      "",
      "RssAnon at the same moment: without the pages of files, which the kernel can drop and processes share"),
  RESIDENT_USED(
      "memory after {allCalls} Allocates: resident",
      MEBIBYTES,
      "80 MiB",
      "VmRSS just after the last Allocate"),
  ANONYMOUS_USED(
      "memory after {allCalls} Allocates: anonymous part",
      MEBIBYTES,
      "",
      "RssAnon at the same moment"),
  PEAK("memory peak until then", MEBIBYTES, "", "VmHWM at the same moment"),
  RESIDENT_AT_END(
      "memory after {allRestarts} kubelets more: resident",
      MEBIBYTES,
      "80 MiB",
      "VmRSS {down} after the last restart of the kubelet"),
  IDLE_CPU(
      "CPU time in {idle} of idleness",
      MILLISECONDS,
      "",
      "utime and stime used, which the kernel counts in steps of 10 ms"),
  MANY_START(
      "{manyDevices} devices: exec to their list received",
      MILLISECONDS,
      "",
      "as the start, with one resource of {manyDevices} devices"),
  MANY_RESIDENT(
      "{manyDevices} devices: resident", MEBIBYTES, "80 MiB", "VmRSS {settle} after that");

  private final String label;
  private final Unit unit;
  private final String aim;
  private final String how;

  Measure(String label, Unit unit, String aim, String how) {
    this.label = label;
    this.unit = unit;
    this.aim = aim;
    this.how = how;
  }

  String label() {
    return label;
  }

  Unit unit() {
    return unit;
  }

  /// What the shipped agent should stay under; empty where nothing was set.
  String aim() {
    return aim;
  }

  /// From where to where.
  String how() {
    return how;
  }
}
