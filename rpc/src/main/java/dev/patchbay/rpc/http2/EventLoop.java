package dev.patchbay.rpc.http2;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/// The one thread that waits for all sockets of a process, and for moments. Thread-safe.
public final class EventLoop implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.rpc");

  /// Room for what one read brings, and for a frame that was begun before.
  private static final int SCRATCH = 64 * 1024;

  /// What is to be done when a channel is ready. Must not wait for anything.
  public interface Ready {
    /// The channel can do what its key was registered for, or has failed.
    ///
    /// @param scratch memory to read into, until this returns
    void ready(SelectionKey key, byte[] scratch) throws IOException;
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Alarms alarms = new Alarms();
  private volatile Optional<Selector> selector = Optional.empty();
  private volatile Optional<Thread> thread = Optional.empty();
  private boolean closed;

  /// Tells from now on when the channel is ready; it must not block. The thread starts with the
  /// first one.
  ///
  /// @param operations of [SelectionKey]
  public SelectionKey register(SelectableChannel channel, int operations, Ready ready)
      throws IOException {
    Selector all = started();
    SelectionKey key = channel.register(all, operations, ready);
    wakeUp();
    return key;
  }

  private Selector started() throws IOException {
    lock.lock();
    try {
      if (closed) throw new IOException("the transport is closed");
      if (selector.isPresent()) return selector.get();
      Selector all = Selector.open();
      selector = Optional.of(all);
      thread = Optional.of(Thread.ofPlatform().daemon().name("patchbay-rpc").start(() -> run(all)));
      return all;
    } finally {
      lock.unlock();
    }
  }

  /// Does something after a while, unless it is cancelled. Nothing is done before the first channel
  /// is registered.
  ///
  /// @param action must not wait for anything
  /// @return cancels it
  public Runnable after(long nanos, Runnable action) {
    Alarms.SetAlarm set = alarms.set(nanos, action);
    if (set.isEarlier()) wakeUp();
    return () -> alarms.cancel(set.alarm());
  }

  /// Makes the thread see what was changed: a key's operations, a channel that was closed.
  public void wakeUp() {
    if (!thread.equals(Optional.of(Thread.currentThread()))) selector.ifPresent(Selector::wakeup);
  }

  /// Whether channels that were registered are watched. It ends with [#close], or when the sockets
  /// cannot be watched any more.
  public boolean isRunning() {
    return thread.filter(Thread::isAlive).isPresent();
  }

  private void run(Selector selector) {
    var scratch = new byte[SCRATCH];
    while (selector.isOpen()) {
      try {
        selector.select(key -> ready(key, scratch), alarms.patience());
      } catch (ClosedSelectorException e) {
        return;
      } catch (IOException e) {
        LOG.log(System.Logger.Level.ERROR, "sockets cannot be watched", e);
        return;
      }
      alarms.due().forEach(EventLoop::ring);
    }
  }

  private static void ring(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      // Whatever it is, the others go on.
      LOG.log(System.Logger.Level.ERROR, "a call's end was not told", e);
    }
  }

  private static void ready(SelectionKey key, byte[] scratch) {
    try {
      if (key.attachment() instanceof Ready it) it.ready(key, scratch);
    } catch (CancelledKeyException | ClosedChannelException e) {
      // Closed by another thread in this moment.
    } catch (IOException | RuntimeException | Error e) {
      // Whatever it is, the others go on.
      close(key);
      LOG.log(System.Logger.Level.ERROR, "connection failed", e);
    }
  }

  private static void close(SelectionKey key) {
    try {
      key.channel().close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "socket not closed reason=" + e);
    }
  }

  /// Ends the thread; the channels are their owners' to close, before. May be called twice.
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
    try {
      if (selector.isPresent()) selector.get().close();
      if (thread.isPresent()) thread.get().join();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "sockets still watched reason=" + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
