package dev.patchbay.drivers;

import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.Health;
import dev.patchbay.model.ResourceName;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// What follows from several scans after one another: a device that vanished stays listed as
/// unhealthy for a while, and one that flaps is held back until it is quiet. Immutable and without
/// a clock of its own.
///
/// @param resources tracked devices by resource and id
public record DeviceHistory(SortedMap<ResourceName, SortedMap<DeviceId, Tracked>> resources) {
  /// Nothing was seen yet.
  public static final DeviceHistory EMPTY = new DeviceHistory(new TreeMap<>());

  /// How patient the history is.
  ///
  /// @param goneAfter how long a vanished device stays listed, unhealthy
  /// @param flapChanges how many changes of health make a device a flapping one
  /// @param flapWindow within what time
  /// @param stableFor how long a flapping device has to be quiet before it counts as healthy again
  public record Patience(
      Duration goneAfter, int flapChanges, Duration flapWindow, Duration stableFor) {
    /// Five minutes; three changes in a minute; ten seconds.
    public static final Patience USUAL =
        new Patience(Duration.ofMinutes(5), 3, Duration.ofMinutes(1), Duration.ofSeconds(10));

    public Patience {
      if (flapChanges < 1)
        throw new IllegalArgumentException(
            "flap-changes is " + flapChanges + "; at least 1 is needed");
    }
  }

  /// A device over time.
  ///
  /// @param seen as a scan had it last
  /// @param now its health as found: unhealthy when it vanished
  /// @param shown its health as advertised
  /// @param goneSince when it vanished; empty while it is there
  /// @param changes when its health changed, lately
  /// @param heldUntil until when it is held back for flapping
  public record Tracked(
      OfferedDevice seen,
      Health now,
      Health shown,
      Optional<Instant> goneSince,
      List<Instant> changes,
      Optional<Instant> heldUntil) {
    public Tracked {
      changes = List.copyOf(changes);
    }

    OfferedDevice offered() {
      Device device = seen.device().with(shown);
      return new OfferedDevice(device, seen.paths(), seen.edits());
    }
  }

  public DeviceHistory {
    resources = Collections.unmodifiableSortedMap(new TreeMap<>(resources));
  }

  /// The history after one more scan.
  public DeviceHistory after(Scan scan, Instant now, Patience patience) {
    SortedMap<ResourceName, SortedMap<DeviceId, Tracked>> next = new TreeMap<>();
    scan.resources().forEach((name, devices) -> next.put(name, new TreeMap<>()));
    resources.keySet().forEach(name -> next.putIfAbsent(name, new TreeMap<>()));
    next.forEach((name, tracked) -> {
      SortedMap<DeviceId, Tracked> before = resources.getOrDefault(name, new TreeMap<>());
      Map<DeviceId, OfferedDevice> found = new LinkedHashMap<>();
      for (OfferedDevice each : scan.resources().getOrDefault(name, List.of()))
        found.put(each.device().id(), each);
      found.forEach((id, device) ->
          tracked.put(id, observed(Optional.ofNullable(before.get(id)), device, now, patience)));
      before.forEach((id, device) -> {
        if (!found.containsKey(id))
          missing(device, now, patience).ifPresent(still -> tracked.put(id, still));
      });
    });
    // A resource that no scan names any more goes with its last device.
    next.entrySet()
        .removeIf(
            entry -> entry.getValue().isEmpty() && !scan.resources().containsKey(entry.getKey()));
    return new DeviceHistory(next);
  }

  /// The history of what this scan has alone: under another configuration, what it does not offer
  /// any more is not missing.
  public DeviceHistory within(Scan scan) {
    SortedMap<ResourceName, SortedMap<DeviceId, Tracked>> kept = new TreeMap<>();
    scan.resources()
        .forEach((name, devices) -> {
          SortedMap<DeviceId, Tracked> still =
              new TreeMap<>(resources.getOrDefault(name, new TreeMap<>()));
          still
              .keySet()
              .retainAll(
                  devices.stream().map(each -> each.device().id()).collect(Collectors.toSet()));
          kept.put(name, still);
        });
    return new DeviceHistory(kept);
  }

  private static Tracked observed(
      Optional<Tracked> before, OfferedDevice device, Instant now, Patience patience) {
    return before
        .map(was -> changed(was, device, device.device().health(), Optional.empty(), now, patience))
        .orElseGet(() ->
            new Tracked(
                device,
                device.device().health(),
                device.device().health(),
                Optional.empty(),
                List.of(),
                Optional.empty()));
  }

  private static Optional<Tracked> missing(Tracked was, Instant now, Patience patience) {
    Instant since = was.goneSince().orElse(now);
    if (!now.isBefore(since.plus(patience.goneAfter()))) return Optional.empty();
    String what =
        was.seen().paths().isEmpty() ? "the device" : String.join(", ", was.seen().paths());
    return Optional.of(
        changed(
            was,
            was.seen(),
            Health.unhealthy(what + " is gone"),
            Optional.of(since),
            now,
            patience));
  }

  private static Tracked changed(
      Tracked was,
      OfferedDevice seen,
      Health health,
      Optional<Instant> goneSince,
      Instant now,
      Patience patience) {
    List<Instant> changes = new ArrayList<>(was.changes());
    changes.removeIf(at -> at.isBefore(now.minus(patience.flapWindow())));
    if (was.now().isHealthy() != health.isHealthy()) changes.add(now);
    Optional<Instant> heldUntil = was.heldUntil().filter(until -> until.isAfter(now));
    if (changes.size() >= patience.flapChanges()) {
      Instant quiet = changes.getLast().plus(patience.stableFor());
      if (quiet.isAfter(now)) heldUntil = Optional.of(quiet);
    }
    Health shown = health;
    if (health.isHealthy() && heldUntil.isPresent())
      shown =
          Health.unhealthy(
              "flapping: held back until it was well for "
                  + patience.stableFor().toSeconds()
                  + " s");
    return new Tracked(seen, health, shown, goneSince, changes, heldUntil);
  }

  /// The devices to advertise, by resource, sorted by id.
  public SequencedMap<ResourceName, List<OfferedDevice>> offered() {
    SequencedMap<ResourceName, List<OfferedDevice>> all = new LinkedHashMap<>();
    resources.forEach(
        (name, devices) -> all.put(name, devices.values().stream().map(Tracked::offered).toList()));
    return all;
  }

  /// When something changes without anything happening on the host; empty when nothing will.
  public Optional<Instant> nextChange(Patience patience) {
    return resources.values().stream()
        .flatMap(devices -> devices.values().stream())
        .<Instant>mapMulti((device, out) -> {
          device.goneSince().ifPresent(since -> out.accept(since.plus(patience.goneAfter())));
          device.heldUntil().filter(_ -> device.now().isHealthy()).ifPresent(out);
        })
        .min(Instant::compareTo);
  }
}
