package dev.patchbay.node;

import java.time.InstantSource;

/// What every pod of a node works with.
record Surroundings(
    NodeConfig config,
    PodSource source,
    Devices devices,
    Containers containers,
    InstantSource clock,
    Pause pause,
    Changes changes,
    Reservations reservations) {
  Surroundings(
      NodeConfig config,
      PodSource source,
      Devices devices,
      Containers containers,
      InstantSource clock,
      Pause pause) {
    this(config, source, devices, containers, clock, pause, new Changes());
  }

  /// @param changes who tells of devices may have them already
  Surroundings(
      NodeConfig config,
      PodSource source,
      Devices devices,
      Containers containers,
      InstantSource clock,
      Pause pause,
      Changes changes) {
    this(config, source, devices, containers, clock, pause, changes, new Reservations());
  }
}
