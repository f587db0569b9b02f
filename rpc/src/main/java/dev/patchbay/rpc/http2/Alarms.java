package dev.patchbay.rpc.http2;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;

/// What is to be done at a time, for one thread that waits. Thread-safe.
///
/// Most alarms are cancelled long before their time. The thread is not woken to hear that: it wakes
/// once, finds nothing to do, and waits for the next one. So an alarm that is set later than that
/// moment costs no wake-up either.
final class Alarms {
  private final long origin = System.nanoTime();
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock; times count from the origin.
  private final SortedSet<Alarm> pending =
      new TreeSet<>(Comparator.comparingLong(Alarm::at).thenComparingLong(Alarm::number));
  private long number;
  private long wakesAt = Long.MAX_VALUE;

  /// One of them.
  record Alarm(long at, long number, Runnable action) {}

  /// An alarm and whether the thread has to be woken, since it would sleep longer.
  record SetAlarm(Alarm alarm, boolean isEarlier) {}

  SetAlarm set(long afterNanos, Runnable action) {
    lock.lock();
    try {
      var alarm = new Alarm(now() + Math.max(afterNanos, 0), number++, action);
      pending.add(alarm);
      return new SetAlarm(alarm, alarm.at() < wakesAt);
    } finally {
      lock.unlock();
    }
  }

  /// Nothing when its time has come already.
  void cancel(Alarm alarm) {
    lock.lock();
    try {
      pending.remove(alarm);
    } finally {
      lock.unlock();
    }
  }

  /// For how long the thread may wait now, in milliseconds; 0 for ever.
  long patience() {
    lock.lock();
    try {
      long now = now();
      if (wakesAt <= now) wakesAt = Long.MAX_VALUE;
      if (!pending.isEmpty()) wakesAt = Math.min(wakesAt, pending.first().at());
      return wakesAt == Long.MAX_VALUE ? 0 : Math.max(1, (wakesAt - now + 999_999) / 1_000_000);
    } finally {
      lock.unlock();
    }
  }

  /// Takes those whose time has come.
  List<Runnable> due() {
    lock.lock();
    try {
      List<Runnable> due = new ArrayList<>();
      long now = now();
      while (!pending.isEmpty() && pending.first().at() <= now) {
        due.add(pending.first().action());
        pending.remove(pending.first());
      }
      return due;
    } finally {
      lock.unlock();
    }
  }

  private long now() {
    return System.nanoTime() - origin;
  }
}
