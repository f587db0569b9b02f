package dev.patchbay.sdk;

import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceList;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The newest full list of a resource's devices, from the author to everybody who shows it to a
/// kubelet. Thread-safe.
///
/// Only the newest list counts: a reader that was slow skips the ones between. A list equal to the
/// one before is no change.
public final class DeviceFeed {
  /// A list and its number: each change has a higher one.
  public record Version(long number, DeviceList list) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Optional<Version> latest = Optional.empty();

  /// A feed with a first list.
  public static DeviceFeed of(Device... devices) {
    DeviceFeed feed = new DeviceFeed();
    feed.publish(DeviceList.of(devices));
    return feed;
  }

  /// A feed without a list yet: the resource is registered when the first one is published.
  public static DeviceFeed empty() {
    return new DeviceFeed();
  }

  private DeviceFeed() {}

  /// Replaces the list.
  public void publish(DeviceList list) {
    lock.lock();
    try {
      if (latest.isPresent() && latest.get().list().equals(list)) return;
      latest = Optional.of(new Version(latest.map(Version::number).orElse(0L) + 1, list));
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// The newest list, if one was published.
  public Optional<Version> latest() {
    lock.lock();
    try {
      return latest;
    } finally {
      lock.unlock();
    }
  }

  /// Waits for a list newer than the version with this number (0: any list).
  ///
  /// @return the newest list, or empty when the time is over
  public Optional<Version> awaitNewerThan(long number, Duration atMost)
      throws InterruptedException {
    long nanos = atMost.toNanos();
    lock.lockInterruptibly();
    try {
      while (latest.isEmpty() || latest.get().number() <= number) {
        if (nanos <= 0) return Optional.empty();
        nanos = changed.awaitNanos(nanos);
      }
      return latest;
    } finally {
      lock.unlock();
    }
  }
}
