package dev.patchbay.node;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Tells threads that something about the node changed: its resources, a pod, a container.
/// Thread-safe.
final class Changes {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private long count;

  /// Something changed.
  void signal() {
    lock.lock();
    try {
      count++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// How many changes there were.
  long count() {
    lock.lock();
    try {
      return count;
    } finally {
      lock.unlock();
    }
  }

  /// Waits for a change after those that were counted.
  void awaitAfter(long counted) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (count == counted) changed.await();
    } finally {
      lock.unlock();
    }
  }

  /// The same, but no longer than this.
  void awaitAfter(long counted, Duration atMost) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = atMost.toNanos();
      while (count == counted && left > 0) left = changed.awaitNanos(left);
    } finally {
      lock.unlock();
    }
  }
}
