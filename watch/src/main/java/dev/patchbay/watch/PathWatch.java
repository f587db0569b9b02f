package dev.patchbay.watch;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/// Says that something about a set of paths may have changed, so that the owner looks again. It
/// never says what changed: a lost or merged event costs a look, never a wrong state.
///
/// Paths need not exist: of a missing one the nearest existing ancestor is watched, and directories
/// that are removed, renamed away and made again (also behind a symbolic link) stay watched. One
/// owner calls [#await] in a loop.
public final class PathWatch implements AutoCloseable {
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
  }

  private PathWatch() {}

  /// Starts to watch.
  public static PathWatch open(Targets targets) {
    throw new UnsupportedOperationException();
  }

  /// Watches other paths from now on.
  public void retarget(Targets targets) {
    throw new UnsupportedOperationException();
  }

  /// Waits until something may have changed since the last call (or since [#open]), or until the
  /// time is over.
  ///
  /// @return true when something may have changed, false when the time is over or this watch was
  ///   closed
  public boolean await(Duration atMost) throws InterruptedException {
    throw new UnsupportedOperationException();
  }

  /// Makes a waiting [#await] return true: the owner has a reason of its own to look again.
  public void wake() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
