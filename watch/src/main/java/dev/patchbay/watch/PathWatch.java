package dev.patchbay.watch;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Says that something about a set of paths may have changed, so that the owner looks again. It
/// never says what changed: a lost or merged event costs a look, never a wrong state.
///
/// Paths need not exist: of a missing one the nearest existing ancestor is watched, and directories
/// that are removed, renamed away and made again (also behind a symbolic link) stay watched. One
/// owner calls [#await] in a loop.
///
/// How: inotify, through the JDK's `WatchService`, tells of entries of a directory but not of the
/// fate of the directory itself once it was replaced. So each directory on the way from the root to
/// a target is watched for the one entry that leads on ("the chain"), and after each event the
/// chain is walked again and compared by inode and change time. Where the machine has no inotify
/// instance left, the owner is woken once a second instead.
public final class PathWatch implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.watch");
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final int MAX_LINKS = 40;

  /// What is watched.
  ///
  /// @param directories whose direct entries come and go; writes into entries are not reported, so
  ///   that a directory of device nodes does not report each write to a device
  /// @param files whose content or identity changes; symbolic links on the way are followed and
  ///   watched too, so that the swap of a Kubernetes ConfigMap's `..data` link is seen
  public record Targets(Set<Path> directories, Set<Path> files) {
    public Targets {
      directories = Set.copyOf(directories);
      files = Set.copyOf(files);
    }

    /// Directories alone.
    public static Targets ofDirectories(Set<Path> directories) {
      return new Targets(directories, Set.of());
    }

    /// One file alone.
    public static Targets ofFile(Path file) {
      return new Targets(Set.of(), Set.of(file));
    }
  }

  /// What is wanted of one watched directory: all its entries, or some by name; with writes, or
  /// without.
  private record Interest(boolean allEntries, Set<String> names, boolean writes) {
    static final Interest NOTHING = new Interest(false, Set.of(), false);

    Interest and(Interest other) {
      Set<String> both = new LinkedHashSet<>(names);
      both.addAll(other.names);
      return new Interest(allEntries || other.allEntries, both, writes || other.writes);
    }

    boolean concerns(WatchEvent<?> event) {
      return allEntries || leadsOn(event);
    }

    /// Whether the event is about an entry on the way to a target, or may be.
    boolean leadsOn(WatchEvent<?> event) {
      return event.kind().equals(StandardWatchEventKinds.OVERFLOW)
          || names.contains(String.valueOf(event.context()));
    }
  }

  /// A registered directory.
  private record Watched(WatchKey key, Interest interest, Optional<FileIdentity> identity) {}

  private final Optional<WatchService> service;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Targets targets;
  private Map<Path, Watched> watched = new HashMap<>();
  private boolean pending;
  private boolean closed;

  private PathWatch(Targets targets, Optional<WatchService> service) {
    this.targets = targets;
    this.service = service;
  }

  /// Starts to watch.
  public static PathWatch open(Targets targets) {
    Optional<WatchService> service = newService();
    var watch = new PathWatch(targets, service);
    watch.follow();
    service.ifPresent(
        events -> Thread.ofVirtual().name("patchbay-watch").start(() -> watch.listen(events)));
    return watch;
  }

  private static Optional<WatchService> newService() {
    try {
      return Optional.of(FileSystems.getDefault().newWatchService());
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "no inotify instance, polling instead every=" + POLL + " reason=" + e.getMessage());
      return Optional.empty();
    }
  }

  /// Watches other paths from now on.
  public void retarget(Targets newTargets) {
    lock.lock();
    try {
      if (targets.equals(newTargets)) return;
      targets = newTargets;
    } finally {
      lock.unlock();
    }
    if (follow()) wake();
  }

  /// Waits until something may have changed since the last call (or since [#open]), or until the
  /// time is over.
  ///
  /// @return true when something may have changed, false when the time is over or this watch was
  ///   closed
  public boolean await(Duration atMost) throws InterruptedException {
    boolean polling = service.isEmpty();
    long nanos = (polling && POLL.compareTo(atMost) < 0 ? POLL : atMost).toNanos();
    lock.lockInterruptibly();
    try {
      while (!pending && !closed) {
        if (nanos <= 0) return polling;
        nanos = changed.awaitNanos(nanos);
      }
      pending = false;
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /// Makes a waiting [#await] return true: the owner has a reason of its own to look again.
  public void wake() {
    lock.lock();
    try {
      pending = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Ends the watch; a waiting [#await] returns false. May be called twice.
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    service.ifPresent(events -> {
      try {
        events.close();
      } catch (IOException e) {
        LOG.log(System.Logger.Level.WARNING, "watch not closed reason=" + e.getMessage());
      }
    });
  }

  private void listen(WatchService events) {
    try {
      while (true) {
        WatchKey key = events.take();
        News news = take(key);
        for (WatchKey more = events.poll(); more != null; more = events.poll())
          news = news.and(take(more));
        // A chain that leads elsewhere now is news too: what happened before its new directories
        // were watched told nobody.
        if ((news.aboutChain() && follow()) || news.concerns()) wake();
      }
    } catch (InterruptedException | ClosedWatchServiceException e) {
      // Closed.
    }
  }

  /// What some events mean.
  ///
  /// @param concerns whether the owner has to look again
  /// @param aboutChain whether a chain may lead elsewhere now
  private record News(boolean concerns, boolean aboutChain) {
    News and(News other) {
      return new News(concerns || other.concerns, aboutChain || other.aboutChain);
    }
  }

  private News take(WatchKey key) {
    Interest interest = interestOf(key);
    boolean concerns = false;
    boolean aboutChain = false;
    for (WatchEvent<?> event : key.pollEvents()) {
      concerns |= interest.concerns(event);
      aboutChain |= interest.leadsOn(event);
    }
    boolean isGone = !key.reset();
    return new News(concerns || isGone, aboutChain || isGone);
  }

  /// The interests of all paths with this key: two paths may lead to one directory.
  private Interest interestOf(WatchKey key) {
    lock.lock();
    try {
      return watched.values().stream()
          .filter(each -> each.key().equals(key))
          .map(Watched::interest)
          .reduce(Interest.NOTHING, Interest::and);
    } finally {
      lock.unlock();
    }
  }

  /// Makes the watched directories those on the chains to the targets as they lead now.
  ///
  /// @return whether a directory came, went or was replaced
  private boolean follow() {
    if (service.isEmpty()) return false;
    boolean news = false;
    // While directories are being watched others may appear: walk until a walk finds nothing new.
    for (int walk = 0; walk < MAX_LINKS; walk++) {
      if (!followOnce(service.get())) return news;
      news = true;
    }
    return true;
  }

  private boolean followOnce(WatchService events) {
    lock.lock();
    try {
      if (closed) return false;
      Map<Path, Interest> wanted = new HashMap<>();
      targets
          .directories()
          .forEach(directory ->
              addChain(
                  directory.toAbsolutePath(),
                  Optional.of(new Interest(true, Set.of(), false)),
                  wanted));
      targets.files().forEach(file -> addChain(file.toAbsolutePath(), Optional.empty(), wanted));
      return registerAll(events, wanted);
    } finally {
      lock.unlock();
    }
  }

  private boolean registerAll(WatchService events, Map<Path, Interest> wanted) {
    boolean news = false;
    Map<Path, Watched> now = new HashMap<>();
    for (var entry : wanted.entrySet()) {
      Path directory = entry.getKey();
      Interest interest = entry.getValue();
      Optional<FileIdentity> identity = FileIdentity.ofDirectory(directory);
      Watched before = watched.get(directory);
      boolean same =
          before != null
              && before.key().isValid()
              && before.interest().equals(interest)
              && before.identity().equals(identity);
      if (same) {
        now.put(directory, before);
        continue;
      }
      boolean replaced =
          before == null || !before.identity().equals(identity) || !before.key().isValid();
      if (before != null) before.key().cancel();
      try {
        now.put(directory, new Watched(register(events, directory, interest), interest, identity));
        news |= replaced;
      } catch (IOException e) {
        // It went meanwhile, or may not be read: its parent tells when it is back.
        LOG.log(System.Logger.Level.DEBUG, "not watched directory=" + directory + " reason=" + e);
      }
    }
    for (var entry : watched.entrySet())
      if (!now.containsKey(entry.getKey())) {
        entry.getValue().key().cancel();
        news = true;
      }
    watched = now;
    return news;
  }

  private static WatchKey register(WatchService events, Path directory, Interest interest)
      throws IOException {
    return interest.writes()
        ? directory.register(
            events,
            StandardWatchEventKinds.ENTRY_CREATE,
            StandardWatchEventKinds.ENTRY_DELETE,
            StandardWatchEventKinds.ENTRY_MODIFY)
        : directory.register(
            events, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_DELETE);
  }

  /// Adds every directory on the way to a target with the one entry that leads on, and the target
  /// itself when it is a directory.
  private static void addChain(
      Path target, Optional<Interest> inTarget, Map<Path, Interest> wanted) {
    Path at = target.getRoot();
    Path rest = target.getRoot().relativize(target.normalize());
    int links = 0;
    while (true) {
      if (rest.toString().isEmpty()) {
        Path directory = at;
        inTarget.ifPresent(interest -> wanted.merge(directory, interest, Interest::and));
        return;
      }
      String name = rest.getName(0).toString();
      rest = rest.getNameCount() == 1 ? Path.of("") : rest.subpath(1, rest.getNameCount());
      boolean isTargetFile = inTarget.isEmpty() && rest.toString().isEmpty();
      wanted.merge(at, new Interest(false, Set.of(name), isTargetFile), Interest::and);
      Path next = at.resolve(name);
      if (Files.isSymbolicLink(next)) {
        if (++links > MAX_LINKS) return;
        try {
          Path leadsTo = at.resolve(Files.readSymbolicLink(next)).normalize().resolve(rest);
          at = leadsTo.getRoot();
          rest = at.relativize(leadsTo);
        } catch (IOException e) {
          return;
        }
      } else if (isTargetFile || !Files.isDirectory(next)) {
        return;
      } else {
        at = next;
      }
    }
  }
}
