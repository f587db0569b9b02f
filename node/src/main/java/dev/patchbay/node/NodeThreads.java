package dev.patchbay.node;

import java.util.ArrayList;
import java.util.List;

/// The virtual threads that something long-lived started, ended together. Used by one thread at a
/// time.
public final class NodeThreads {
  private final String owner;
  private final System.Logger log;
  private final List<Thread> threads = new ArrayList<>();

  /// No threads yet.
  ///
  /// @param owner begins each thread's name
  /// @param log where a thread's unexpected end is told
  public NodeThreads(String owner, System.Logger log) {
    this.owner = owner;
    this.log = log;
  }

  /// Starts one that ends by itself or by an interrupt.
  public void start(String name, Task task) {
    threads.add(Thread.ofVirtual().name(owner + "-" + name).start(() -> run(name, task)));
  }

  private void run(String name, Task task) {
    try {
      task.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the owner was closed
    } catch (RuntimeException e) {
      log.log(System.Logger.Level.ERROR, "thread ended name=" + name, e);
    }
  }

  /// Whether none was started.
  public boolean isEmpty() {
    return threads.isEmpty();
  }

  /// Asks all of them to end.
  public void interrupt() {
    threads.forEach(Thread::interrupt);
  }

  /// Waits until all of them have ended.
  public void join() throws InterruptedException {
    for (Thread thread : threads) thread.join();
  }

  /// What a thread does.
  @FunctionalInterface
  public interface Task {
    /// Does it, until it is done or the thread is interrupted.
    void run() throws InterruptedException;
  }
}
