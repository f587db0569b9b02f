package dev.patchbay.kubelet.inventory;

import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// One resource: its devices as listed last, and the plugins that serve it, the newest last.
///
/// @param everListed whether a list arrived, or an earlier kubelet knew the resource; before that
///   it is not shown at the node
/// @param devices the newest list of the newest plugin that sent one
/// @param fresh whether that list still counts: it does not after the last plugin went away, until
///   another one lists; a plugin that was there then and has not listed yet takes the list over
/// @param plugins connected plugins in the order in which they connected; the last one is asked
/// @param wantsPreStart whether the plugin that is asked, or was last, wants PreStartContainer;
///   false for one that an earlier kubelet knew
/// @param stoppedAt since when no plugin serves the resource; empty while one does
public record ResourceState(
    boolean everListed,
    SortedMap<DeviceId, Device> devices,
    boolean fresh,
    List<Connected> plugins,
    boolean wantsPreStart,
    Optional<Instant> stoppedAt) {
  /// A connected plugin.
  ///
  /// @param connection number of the connection, never used twice
  /// @param wantsPreStart whether it wants to be called before each start of a container
  /// @param devices its newest list, if it sent one
  public record Connected(
      long connection, boolean wantsPreStart, Optional<SortedMap<DeviceId, Device>> devices) {}

  public ResourceState {
    devices = Collections.unmodifiableSortedMap(new TreeMap<>(devices));
    plugins = List.copyOf(plugins);
  }

  /// A resource that an earlier kubelet knew and whose plugin is awaited.
  static ResourceState known(Instant now) {
    return new ResourceState(true, new TreeMap<>(), false, List.of(), false, Optional.of(now));
  }

  static ResourceState unlisted() {
    return new ResourceState(false, new TreeMap<>(), false, List.of(), false, Optional.empty());
  }

  ResourceState connected(long connection, boolean wantsIt) {
    List<Connected> more = new ArrayList<>(plugins);
    more.add(new Connected(connection, wantsIt, Optional.empty()));
    return new ResourceState(everListed, devices, fresh, more, wantsIt, Optional.empty());
  }

  ResourceState listed(long connection, SortedMap<DeviceId, Device> list) {
    if (plugins.stream().noneMatch(each -> each.connection() == connection)) return this;
    List<Connected> updated =
        plugins.stream()
            .map(each ->
                each.connection() == connection
                    ? new Connected(connection, each.wantsPreStart(), Optional.of(list))
                    : each)
            .toList();
    return new ResourceState(true, devices, fresh, updated, wantsPreStart, stoppedAt)
        .withNewestList();
  }

  ResourceState disconnected(long connection, Instant now) {
    List<Connected> left =
        plugins.stream().filter(each -> each.connection() != connection).toList();
    if (left.size() == plugins.size()) return this;
    if (left.isEmpty())
      return new ResourceState(true, devices, false, left, wantsPreStart, Optional.of(now));
    return new ResourceState(
            everListed, devices, fresh, left, left.getLast().wantsPreStart(), stoppedAt)
        .withNewestList();
  }

  ResourceState aged(Duration by) {
    return new ResourceState(
        everListed, devices, fresh, plugins, wantsPreStart, stoppedAt.map(at -> at.minus(by)));
  }

  /// The list of the newest plugin that sent one; as long as none did, what was there before stays.
  private ResourceState withNewestList() {
    return plugins.reversed().stream()
        .flatMap(each -> each.devices().stream())
        .findFirst()
        .map(list -> new ResourceState(true, list, true, plugins, wantsPreStart, stoppedAt))
        .orElse(this);
  }

  /// Devices that can be given away.
  public SortedSet<DeviceId> healthy() {
    SortedSet<DeviceId> ids = new TreeSet<>();
    if (fresh)
      devices.forEach((id, device) -> {
        if (device.health().isHealthy()) ids.add(id);
      });
    return ids;
  }

  /// Whether the plugin is gone for longer than the grace period.
  boolean isExpired(Instant now, Duration grace) {
    return stoppedAt.isPresent() && Duration.between(stoppedAt.get(), now).compareTo(grace) > 0;
  }
}
