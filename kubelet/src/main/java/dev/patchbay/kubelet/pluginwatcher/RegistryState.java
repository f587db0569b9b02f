package dev.patchbay.kubelet.pluginwatcher;

import dev.patchbay.watch.FileIdentity;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// What the watcher knows: which sockets should be registered, which are, which are being worked
/// on, and which have to wait after a failure. Immutable; each change makes a new one.
///
/// A socket that is made anew at a known path is another one ([Wanted#number]); it is registered
/// after the old one was taken off, in a later pass.
///
/// @param wanted the sockets that lie in the registry
/// @param registered what is registered, or about to be
/// @param busy sockets for which a step runs; no second one starts meanwhile
/// @param pauses sockets at which the last step failed
/// @param lastNumber the highest number given to a socket so far
record RegistryState(
    SortedMap<Path, Wanted> wanted,
    SortedMap<Path, Registered> registered,
    Set<Path> busy,
    SortedMap<Path, Pause> pauses,
    long lastNumber) {
  static final RegistryState EMPTY =
      new RegistryState(
          Collections.emptySortedMap(),
          Collections.emptySortedMap(),
          Set.of(),
          Collections.emptySortedMap(),
          0);

  RegistryState {
    wanted = Collections.unmodifiableSortedMap(new TreeMap<>(wanted));
    registered = Collections.unmodifiableSortedMap(new TreeMap<>(registered));
    busy = Set.copyOf(busy);
    pauses = Collections.unmodifiableSortedMap(new TreeMap<>(pauses));
  }

  /// A socket in the registry.
  ///
  /// @param number another one for each socket that ever lay there
  record Wanted(long number, FileIdentity socket) {}

  /// A plugin that its handler has, or is about to get.
  ///
  /// @param number of the socket through which it came
  record Registered(long number, PluginHandler handler, String name, Path endpoint) {}

  /// Nothing is tried at a socket until this time is over.
  record Pause(Instant since, Duration length) {
    boolean isOver(Instant now) {
      return Duration.between(since, now).compareTo(length) > 0;
    }
  }

  /// What has to be done at one socket.
  sealed interface Step {
    /// The socket.
    Path socket();

    /// Asks the plugin who it is and registers it.
    record Register(Path socket, long number) implements Step {}

    /// Takes a plugin off.
    record Deregister(Path socket, Registered plugin) implements Step {}
  }

  /// After a look at the registry. A socket that was only renamed within it stays where it was
  /// found too, as upstream has it, which takes no renaming for a removal.
  RegistryState seen(RegistryTree tree) {
    SortedMap<Path, Wanted> now = new TreeMap<>();
    long last = lastNumber;
    for (Map.Entry<Path, FileIdentity> each : tree.sockets().entrySet()) {
      Wanted known = wanted.get(each.getKey());
      now.put(
          each.getKey(),
          known != null && known.socket().equals(each.getValue())
              ? known
              : new Wanted(++last, each.getValue()));
    }
    wanted.forEach((path, each) -> {
      if (!now.containsKey(path) && tree.contains(each.socket())) now.put(path, each);
    });
    return new RegistryState(now, registered, busy, pauses, last);
  }

  /// What may be started now: first what has to be taken off, then what has to be registered, one
  /// step a socket.
  List<Step> due(Instant now) {
    List<Step> due = new ArrayList<>();
    Set<Path> taken = new HashSet<>(busy);
    pauses.forEach((path, pause) -> {
      if (!pause.isOver(now)) taken.add(path);
    });
    registered.forEach((path, plugin) -> {
      if (!isWanted(path, plugin) && taken.add(path)) due.add(new Step.Deregister(path, plugin));
    });
    wanted.forEach((path, each) -> {
      if (!isRegistered(path, each) && taken.add(path))
        due.add(new Step.Register(path, each.number()));
    });
    return due;
  }

  /// Whether nothing is to be done, now or later, unless something changes.
  boolean isSettled() {
    return busy.isEmpty()
        && registered.entrySet().stream().allMatch(each -> isWanted(each.getKey(), each.getValue()))
        && wanted.entrySet().stream()
            .allMatch(each -> isRegistered(each.getKey(), each.getValue()));
  }

  private boolean isWanted(Path path, Registered plugin) {
    Wanted there = wanted.get(path);
    return there != null && there.number() == plugin.number();
  }

  private boolean isRegistered(Path path, Wanted socket) {
    Registered plugin = registered.get(path);
    return plugin != null && plugin.number() == socket.number();
  }

  /// These steps run from now on.
  RegistryState started(Collection<Step> steps) {
    Set<Path> nowBusy = new HashSet<>(busy);
    steps.forEach(step -> nowBusy.add(step.socket()));
    return new RegistryState(wanted, registered, nowBusy, pauses, lastNumber);
  }

  /// A plugin is about to be given to its handler, so that its removal meanwhile is not missed.
  RegistryState with(Path socket, Registered plugin) {
    SortedMap<Path, Registered> now = new TreeMap<>(registered);
    now.put(socket, plugin);
    return new RegistryState(wanted, now, busy, pauses, lastNumber);
  }

  /// A plugin is not registered, or about to be taken off.
  RegistryState without(Path socket) {
    SortedMap<Path, Registered> now = new TreeMap<>(registered);
    now.remove(socket);
    return new RegistryState(wanted, now, busy, pauses, lastNumber);
  }

  /// A step went well.
  RegistryState succeeded(Path socket) {
    SortedMap<Path, Pause> now = new TreeMap<>(pauses);
    now.remove(socket);
    return ended(socket, now);
  }

  /// A step failed: the next one at this socket waits, twice as long as the last time.
  RegistryState failed(Path socket, Instant when, Duration first, Duration longest) {
    SortedMap<Path, Pause> now = new TreeMap<>(pauses);
    Pause last = now.get(socket);
    Duration length = last == null ? first : last.length().multipliedBy(2);
    now.put(socket, new Pause(when, length.compareTo(longest) > 0 ? longest : length));
    return ended(socket, now);
  }

  private RegistryState ended(Path socket, SortedMap<Path, Pause> newPauses) {
    Set<Path> nowBusy = new HashSet<>(busy);
    nowBusy.remove(socket);
    return new RegistryState(wanted, registered, nowBusy, newPauses, lastNumber);
  }

  /// Without the pauses of sockets that are gone and done with: upstream keeps them for ever.
  RegistryState tidied() {
    SortedMap<Path, Pause> now = new TreeMap<>(pauses);
    now.keySet()
        .removeIf(path ->
            !wanted.containsKey(path) && !registered.containsKey(path) && !busy.contains(path));
    return new RegistryState(wanted, registered, busy, now, lastNumber);
  }
}
