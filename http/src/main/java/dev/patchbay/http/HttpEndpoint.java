package dev.patchbay.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Pages at an address, which may change, or nowhere. An address that cannot be had is tried again:
/// what the process is there for goes on all the same. Thread-safe.
public final class HttpEndpoint implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.http");
  private static final Duration RETRY = Duration.ofSeconds(5);
  private static final Duration LONG = Duration.ofDays(1);

  private final Map<String, Page> pages;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Optional<InetSocketAddress> wanted = Optional.empty();
  private Optional<InetSocketAddress> address = Optional.empty();
  private Optional<Thread> thread = Optional.empty();
  private boolean closed;

  // Of the thread alone.
  private Optional<HttpListener> listener = Optional.empty();
  private Optional<InetSocketAddress> listenerOf = Optional.empty();
  private String complaint = "";

  /// An endpoint that does not listen yet.
  ///
  /// @param pages by path: `/healthz`
  public HttpEndpoint(Map<String, Page> pages) {
    this.pages = Map.copyOf(pages);
  }

  /// Listens there from now on, or nowhere. Returns at once.
  ///
  /// @param listen an address of this machine, or the wildcard of all; port 0 is any that is free
  public void apply(Optional<InetSocketAddress> listen) {
    lock.lock();
    try {
      if (closed || listen.equals(wanted)) return;
      wanted = listen;
      changed.signalAll();
      if (thread.isEmpty()) {
        Thread started = Thread.ofVirtual().name("patchbay-http").unstarted(this::run);
        thread = Optional.of(started);
        started.start();
      }
    } finally {
      lock.unlock();
    }
  }

  /// Where it listens now; empty when it does not.
  public Optional<InetSocketAddress> address() {
    lock.lock();
    try {
      return address;
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try {
      while (true) {
        Optional<InetSocketAddress> goal = goal();
        if (!goal.equals(listenerOf)) leave();
        if (goal.isPresent() && listener.isEmpty()) listen(goal.get());
        awaitOther(goal, goal.isPresent() && listener.isEmpty() ? RETRY : LONG);
      }
    } catch (InterruptedException e) {
      // Closed.
    } finally {
      leave();
    }
  }

  private Optional<InetSocketAddress> goal() {
    lock.lock();
    try {
      return wanted;
    } finally {
      lock.unlock();
    }
  }

  private void awaitOther(Optional<InetSocketAddress> goal, Duration atMost)
      throws InterruptedException {
    long nanos = atMost.toNanos();
    lock.lockInterruptibly();
    try {
      while (wanted.equals(goal) && nanos > 0) nanos = changed.awaitNanos(nanos);
    } finally {
      lock.unlock();
    }
  }

  private void listen(InetSocketAddress goal) {
    try {
      HttpListener opened = HttpListener.open(goal, pages);
      listener = Optional.of(opened);
      listenerOf = Optional.of(goal);
      complaint = "";
      show(Optional.of(opened.address()));
      LOG.log(System.Logger.Level.INFO, "http served address=" + text(opened.address()));
    } catch (IOException e) {
      String reason = text(goal) + " reason=" + e.getMessage();
      if (!reason.equals(complaint))
        LOG.log(System.Logger.Level.ERROR, "http not served, trying again address=" + reason);
      complaint = reason;
    }
  }

  private void leave() {
    listener.ifPresent(HttpListener::close);
    listener.ifPresent(it ->
        LOG.log(System.Logger.Level.INFO, "http no longer served address=" + text(it.address())));
    listener = Optional.empty();
    listenerOf = Optional.empty();
    complaint = "";
    show(Optional.empty());
  }

  private void show(Optional<InetSocketAddress> now) {
    lock.lock();
    try {
      address = now;
    } finally {
      lock.unlock();
    }
  }

  private static String text(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  /// Listens no more. May be called twice.
  @Override
  public void close() {
    Optional<Thread> ending;
    lock.lock();
    try {
      closed = true;
      ending = thread;
    } finally {
      lock.unlock();
    }
    ending.ifPresent(Thread::interrupt);
    try {
      if (ending.isPresent()) ending.get().join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
