package dev.patchbay.rpc;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;

/// The events of one call: told one after the other, on threads of the executor. Thread-safe.
final class SerialTasks {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.rpc");

  private final Executor executor;
  private final ReentrantLock lock = new ReentrantLock();
  private final Queue<Runnable> tasks = new ArrayDeque<>(4);
  private boolean running;

  SerialTasks(Executor executor) {
    this.executor = executor;
  }

  /// Returns at once.
  void add(Runnable task) {
    lock.lock();
    try {
      tasks.add(task);
      if (running) return;
      running = true;
    } finally {
      lock.unlock();
    }
    try {
      executor.execute(this::runAll);
    } catch (RejectedExecutionException e) {
      LOG.log(System.Logger.Level.DEBUG, "nobody is told of a call's end, all is closed");
    }
  }

  private void runAll() {
    for (var task = next(); task.isPresent(); task = next()) task.get().run();
  }

  private Optional<Runnable> next() {
    lock.lock();
    try {
      var task = Optional.ofNullable(tasks.poll());
      running = task.isPresent();
      return task;
    } finally {
      lock.unlock();
    }
  }
}
