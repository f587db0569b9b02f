package dev.patchbay.sdk;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Wakes one waiting task: something may have changed, look again. A wake before the wait is not
/// lost.
final class Signal {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition woken = lock.newCondition();
  private boolean pending;

  void wake() {
    lock.lock();
    try {
      pending = true;
      woken.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Waits for a wake, at most so long.
  void await(Duration atMost) throws InterruptedException {
    long nanos = atMost.toNanos();
    lock.lockInterruptibly();
    try {
      while (!pending && nanos > 0) nanos = woken.awaitNanos(nanos);
      pending = false;
    } finally {
      lock.unlock();
    }
  }
}
