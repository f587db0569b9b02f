package dev.patchbay.kubelet.inventory;

import dev.patchbay.model.DeviceId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/// One resource: its devices as listed last, and the plugins that serve it, the newest last.
///
/// @param everListed whether a list arrived, or an earlier kubelet knew the resource; before that
///   it is nobody's business here
/// @param everFailed whether a plugin went away without a list; then the node shows it, with zero
/// @param table the newest list of the newest plugin that sent one
/// @param fresh whether that list still counts: it does not after the last plugin went away, until
///   another one lists; a plugin that was there then and has not listed yet takes the list over
/// @param plugins connected plugins in the order in which they connected; the last one is asked
/// @param wantsPreStart whether the plugin that is asked, or was last, wants PreStartContainer;
///   false for one that an earlier kubelet knew
/// @param stoppedAt since when no plugin serves the resource; empty while one does
public record ResourceState(
    boolean everListed,
    boolean everFailed,
    DeviceTable table,
    boolean fresh,
    List<Connected> plugins,
    boolean wantsPreStart,
    Optional<Instant> stoppedAt) {
  /// A connected plugin.
  ///
  /// @param connection number of the connection, never used twice
  /// @param wantsPreStart whether it wants to be called before each start of a container
  /// @param table its newest list, if it sent one
  public record Connected(long connection, boolean wantsPreStart, Optional<DeviceTable> table) {}

  public ResourceState {
    plugins = List.copyOf(plugins);
  }

  /// A resource that an earlier kubelet knew and whose plugin is awaited.
  static ResourceState known(Instant now) {
    return new ResourceState(
        true, false, DeviceTable.EMPTY, false, List.of(), false, Optional.of(now));
  }

  static ResourceState unlisted() {
    return new ResourceState(
        false, false, DeviceTable.EMPTY, false, List.of(), false, Optional.empty());
  }

  ResourceState connected(long connection, boolean wantsIt) {
    List<Connected> more = new ArrayList<>(plugins);
    more.add(new Connected(connection, wantsIt, Optional.empty()));
    return new ResourceState(everListed, everFailed, table, fresh, more, wantsIt, Optional.empty());
  }

  ResourceState listed(long connection, DeviceTable devices) {
    if (plugins.stream().noneMatch(each -> each.connection() == connection)) return this;
    DeviceTable list = devices.inPlacesOf(table);
    List<Connected> updated =
        plugins.stream()
            .map(each ->
                each.connection() == connection
                    ? new Connected(connection, each.wantsPreStart(), Optional.of(list))
                    : each)
            .toList();
    return new ResourceState(true, everFailed, table, fresh, updated, wantsPreStart, stoppedAt)
        .withNewestList();
  }

  ResourceState disconnected(long connection, Instant now) {
    List<Connected> left =
        plugins.stream().filter(each -> each.connection() != connection).toList();
    if (left.size() == plugins.size()) return this;
    if (left.isEmpty())
      return new ResourceState(
          everListed, true, table, false, left, wantsPreStart, Optional.of(now));
    return new ResourceState(
            everListed, everFailed, table, fresh, left, left.getLast().wantsPreStart(), stoppedAt)
        .withNewestList();
  }

  ResourceState aged(Duration by) {
    return new ResourceState(
        everListed,
        everFailed,
        table,
        fresh,
        plugins,
        wantsPreStart,
        stoppedAt.map(at -> at.minus(by)));
  }

  /// The list of the newest plugin that sent one; as long as none did, what was there before stays.
  private ResourceState withNewestList() {
    return plugins.reversed().stream()
        .flatMap(each -> each.table().stream())
        .findFirst()
        .map(list ->
            new ResourceState(true, everFailed, list, true, plugins, wantsPreStart, stoppedAt))
        .orElse(this);
  }

  /// Whether the node shows the resource.
  public boolean isShown() {
    return everListed || everFailed;
  }

  /// Places in the list of the devices that can be given away; the caller's own.
  public BitSet healthyPlaces() {
    return fresh ? table.healthy() : new BitSet();
  }

  /// Number of devices that can be given away.
  public int healthyCount() {
    return fresh ? table.healthyCount() : 0;
  }

  /// Devices that can be given away.
  public SortedSet<DeviceId> healthy() {
    return table.idsAt(healthyPlaces());
  }

  /// Whether the plugin is gone for longer than the grace period.
  boolean isExpired(Instant now, Duration grace) {
    return stoppedAt.isPresent() && Duration.between(stoppedAt.get(), now).compareTo(grace) > 0;
  }
}
