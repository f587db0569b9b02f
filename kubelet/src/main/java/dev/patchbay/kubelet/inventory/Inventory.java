package dev.patchbay.kubelet.inventory;

import dev.patchbay.model.ResourceName;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

/// All resources of the node. Immutable; each change is a new inventory.
///
/// @param resources what plugins serve, or served within the grace period
/// @param gone resources whose grace period is over; the node keeps showing them with zero, so that
///   they are told apart from resources that no node ever had
/// @param unreported those of them that the node's status was not told of
public record Inventory(
    SortedMap<ResourceName, ResourceState> resources,
    SortedSet<ResourceName> gone,
    SortedSet<ResourceName> unreported) {
  /// Nothing at all.
  public static final Inventory EMPTY =
      new Inventory(new TreeMap<>(), new TreeSet<>(), new TreeSet<>());

  public Inventory {
    resources = Collections.unmodifiableSortedMap(new TreeMap<>(resources));
    gone = Collections.unmodifiableSortedSet(new TreeSet<>(gone));
    unreported = Collections.unmodifiableSortedSet(new TreeSet<>(unreported));
  }

  /// The resources that an earlier kubelet knew; their plugins have the grace period to come back.
  public static Inventory restored(Set<ResourceName> known, Instant now) {
    SortedMap<ResourceName, ResourceState> all = new TreeMap<>();
    known.forEach(name -> all.put(name, ResourceState.known(now)));
    return new Inventory(all, new TreeSet<>(), new TreeSet<>());
  }

  /// The resource with this name, if a plugin serves it or did lately.
  public Optional<ResourceState> find(ResourceName name) {
    return Optional.ofNullable(resources.get(name));
  }

  /// A plugin connected.
  ///
  /// @param wantsPreStart whether it wants to be called before each start of a container
  public Inventory connected(ResourceName name, long connection, boolean wantsPreStart) {
    return with(
        name,
        find(name).orElseGet(ResourceState::unlisted).connected(connection, wantsPreStart),
        gone);
  }

  /// A plugin sent its full list; ignored when the connection is not known any more. A resource
  /// that comes back after its grace period is gone until then.
  public Inventory listed(ResourceName name, long connection, DeviceTable devices) {
    Inventory now = change(name, state -> state.listed(connection, devices));
    if (!gone.contains(name) || now.find(name).filter(ResourceState::everListed).isEmpty())
      return now;
    SortedSet<ResourceName> stillGone = new TreeSet<>(gone);
    SortedSet<ResourceName> stillUnreported = new TreeSet<>(unreported);
    stillGone.remove(name);
    stillUnreported.remove(name);
    return new Inventory(now.resources, stillGone, stillUnreported);
  }

  /// A plugin's stream ended; the devices are not healthy any more unless another plugin serves the
  /// resource.
  public Inventory disconnected(ResourceName name, long connection, Instant now) {
    return change(name, state -> state.disconnected(connection, now));
  }

  /// Without the resources whose plugin is gone for longer than the grace period.
  public Inventory expired(Instant now, Duration grace) {
    SortedMap<ResourceName, ResourceState> left = new TreeMap<>(resources);
    SortedSet<ResourceName> nowGone = new TreeSet<>(gone);
    SortedSet<ResourceName> toReport = new TreeSet<>(unreported);
    resources.forEach((name, state) -> {
      if (state.isExpired(now, grace)) {
        left.remove(name);
        nowGone.add(name);
        toReport.add(name);
      }
    });
    return left.size() == resources.size() ? this : new Inventory(left, nowGone, toReport);
  }

  /// The same after the node's status was told what is gone.
  public Inventory reported() {
    return unreported.isEmpty() ? this : new Inventory(resources, gone, new TreeSet<>());
  }

  /// The same with the stop of this resource's plugins so much earlier.
  public Inventory aged(ResourceName name, Duration by) {
    return find(name).filter(state -> state.stoppedAt().isPresent()).isEmpty()
        ? this
        : change(name, state -> state.aged(by));
  }

  private Inventory change(ResourceName name, UnaryOperator<ResourceState> change) {
    return find(name).map(state -> with(name, change.apply(state), gone)).orElse(this);
  }

  private Inventory with(ResourceName name, ResourceState state, SortedSet<ResourceName> newGone) {
    SortedMap<ResourceName, ResourceState> all = new TreeMap<>(resources);
    all.put(name, state);
    return new Inventory(all, newGone, unreported);
  }

  /// Number of devices, healthy or not, of each resource whose grace period is not over.
  public SortedMap<ResourceName, Long> listedCapacity() {
    return counts(ResourceState::isShown, state -> state.table().size());
  }

  /// Number of healthy devices of each resource whose grace period is not over and that was listed.
  public SortedMap<ResourceName, Long> listedAllocatable() {
    return counts(ResourceState::everListed, ResourceState::healthyCount);
  }

  private SortedMap<ResourceName, Long> counts(
      Predicate<ResourceState> which, ToLongFunction<ResourceState> count) {
    SortedMap<ResourceName, Long> counts = new TreeMap<>();
    resources.forEach((name, state) -> {
      if (which.test(state)) counts.put(name, count.applyAsLong(state));
    });
    return counts;
  }

  /// Number of devices, healthy or not, of each resource that the node shows.
  public SortedMap<ResourceName, Long> capacity() {
    return withGone(listedCapacity());
  }

  /// Number of healthy devices of each resource that the node shows.
  public SortedMap<ResourceName, Long> allocatable() {
    return withGone(counts(ResourceState::isShown, ResourceState::healthyCount));
  }

  private SortedMap<ResourceName, Long> withGone(SortedMap<ResourceName, Long> counts) {
    gone.forEach(name -> counts.put(name, 0L));
    return Collections.unmodifiableSortedMap(counts);
  }
}
