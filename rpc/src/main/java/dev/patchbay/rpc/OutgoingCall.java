package dev.patchbay.rpc;

import dev.patchbay.rpc.hpack.Header;
import dev.patchbay.rpc.hpack.HeaderEncoder;
import dev.patchbay.rpc.http2.ErrorCode;
import dev.patchbay.rpc.http2.Stream;
import dev.patchbay.rpc.http2.StreamReader;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// One call to a server, with one request; all of it is sent at once.
///
/// Answers wait here until they are asked for; the server is told that it may send more when they
/// are taken. A call that is made inside another one ends with it.
final class OutgoingCall<Q, A> extends ClientCall<Q, A> implements StreamReader {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.rpc");

  private final UnixChannel channel;
  private final MethodDescriptor<Q, A> method;
  private final String authority;
  private final Optional<Deadline> deadline;
  private final Executor executor;
  private final SerialTasks tasks;
  private final Context context = Context.current();
  private final Context.CancellationListener contextEnded =
      _ -> giveUp(Status.CANCELLED.withDescription("the call in which this one was made ended"));
  private final Messages messages = new Messages();
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final Queue<byte[]> arrived = new ArrayDeque<>(2);
  private int requested;
  private int untold;
  private Optional<Stream> stream = Optional.empty();
  private Optional<Status> end = Optional.empty();
  private boolean endTold;
  private Runnable cancelWatch = () -> {};

  private Optional<byte[]> request = Optional.empty();
  private @Nullable Listener<A> listener;
  private boolean headersCame;

  /// @param authority the server's name, which says nothing on a socket of this machine
  OutgoingCall(
      UnixChannel channel,
      MethodDescriptor<Q, A> method,
      String authority,
      Optional<Deadline> deadline,
      Executor executor) {
    this.channel = channel;
    this.method = method;
    this.authority = authority;
    this.deadline = deadline;
    this.executor = executor;
    tasks = new SerialTasks(executor);
  }

  // The caller.

  @Override
  public void start(Listener<A> newListener, Metadata headers) {
    listener = newListener;
  }

  @Override
  public void request(int messages) {
    lock.lock();
    try {
      requested += messages;
    } finally {
      lock.unlock();
    }
    deliver();
  }

  @Override
  public void sendMessage(Q message) {
    if (request.isPresent()) throw new IllegalStateException("more than one request");
    request = Optional.of(Messages.framed(method.streamRequest(message)));
  }

  @Override
  public void halfClose() {
    if (deadline.filter(Deadline::isExpired).isPresent()) {
      finish(late());
      return;
    }
    byte[] content = request.orElseThrow(() -> new IllegalStateException("no request"));
    deadline.ifPresent(this::watch);
    try {
      Stream opened = channel.connection().open(HeaderEncoder.encode(headers()), content, this);
      if (!keep(opened)) opened.reset(ErrorCode.CANCEL);
      tellTaken(0);
    } catch (IOException e) {
      finish(Status.UNAVAILABLE.withDescription(e.getMessage()).withCause(e));
      return;
    }
    context.addListener(contextEnded, executor);
  }

  private boolean keep(Stream opened) {
    lock.lock();
    try {
      stream = Optional.of(opened);
      return end.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  private List<Header> headers() {
    List<Header> headers = new ArrayList<>(8);
    headers.add(new Header(":method", "POST"));
    headers.add(new Header(":scheme", "http"));
    headers.add(new Header(":path", "/" + method.getFullMethodName()));
    headers.add(new Header(":authority", authority));
    headers.add(new Header("te", "trailers"));
    headers.add(new Header("content-type", "application/grpc"));
    headers.add(new Header("user-agent", "grpc-patchbay"));
    deadline.ifPresent(it ->
        headers.add(new Header("grpc-timeout", timeout(it.timeRemaining(TimeUnit.NANOSECONDS)))));
    return headers;
  }

  /// At most eight digits, and a unit.
  static String timeout(long nanos) {
    long left = Math.max(nanos, 1);
    if (left < 100_000_000) return left + "n";
    if (left / 1_000 < 100_000_000) return left / 1_000 + "u";
    if (left / 1_000_000 < 100_000_000) return left / 1_000_000 + "m";
    return Math.min(left / 1_000_000_000, 99_999_999) + "S";
  }

  private void watch(Deadline its) {
    Runnable cancel =
        channel.loop().after(its.timeRemaining(TimeUnit.NANOSECONDS), () -> giveUp(late()));
    lock.lock();
    try {
      cancelWatch = cancel;
    } finally {
      lock.unlock();
    }
  }

  private static Status late() {
    return Status.DEADLINE_EXCEEDED.withDescription("no answer before the deadline");
  }

  @Override
  public void cancel(@Nullable String message, @Nullable Throwable cause) {
    giveUp(Status.CANCELLED.withDescription(message).withCause(cause));
  }

  private void giveUp(Status status) {
    Optional<Stream> open;
    lock.lock();
    try {
      arrived.clear();
      open = stream;
    } finally {
      lock.unlock();
    }
    finish(status);
    open.ifPresent(it -> it.reset(ErrorCode.CANCEL));
  }

  // What arrives.

  @Override
  public void headers(List<Header> headers, boolean isLast) {
    if (isLast) {
      finish(WireStatus.of(headers));
      return;
    }
    boolean isInformation =
        WireStatus.valueOf(":status", headers).filter(it -> it.startsWith("1")).isPresent();
    if (headersCame || isInformation) return;
    headersCame = true;
    WireStatus.problemOf(headers).ifPresent(this::giveUp);
  }

  @Override
  public void data(byte[] bytes, int from, int length, boolean isLast) {
    try {
      messages.add(bytes, from, length, this::received);
      tellTaken(length);
    } catch (StatusRuntimeException e) {
      giveUp(e.getStatus());
      return;
    }
    if (isLast) finish(Status.INTERNAL.withDescription("the answer ends without a status"));
  }

  private void received(byte[] message) {
    lock.lock();
    try {
      if (end.isEmpty()) arrived.add(message);
    } finally {
      lock.unlock();
    }
    deliver();
  }

  /// The server may send as much as it sent before, unless an answer waits to be asked for.
  private void tellTaken(int more) {
    Optional<Stream> told;
    int taken;
    lock.lock();
    try {
      untold += more;
      told = arrived.isEmpty() ? stream : Optional.empty();
      taken = untold;
      if (told.isPresent()) untold = 0;
    } finally {
      lock.unlock();
    }
    if (taken > 0) told.ifPresent(it -> it.taken(taken));
  }

  @Override
  public void writable() {}

  @Override
  public void reset(ErrorCode code, String why) {
    finish(WireStatus.ofReset(code, why));
  }

  @Override
  public void lost(String why) {
    finish(Status.UNAVAILABLE.withDescription(why));
  }

  private void finish(Status status) {
    // The server counts the time, too, and may be first.
    Runnable cancel;
    boolean isLate =
        status.getCode() == Status.Code.CANCELLED
            && deadline.filter(Deadline::isExpired).isPresent();
    lock.lock();
    try {
      if (end.isPresent()) return;
      end = Optional.of(isLate ? late() : status);
      cancel = cancelWatch;
    } finally {
      lock.unlock();
    }
    cancel.run();
    context.removeListener(contextEnded);
    deliver();
  }

  /// Tells the listener what it has asked for, and then the end.
  private void deliver() {
    lock.lock();
    try {
      while (requested > 0 && !arrived.isEmpty()) {
        requested--;
        byte[] message = arrived.remove();
        tasks.add(() -> tell(message));
      }
      if (!arrived.isEmpty() || end.isEmpty() || endTold) return;
      endTold = true;
      Status status = end.get();
      tasks.add(() -> listener().onClose(status, new Metadata()));
    } finally {
      lock.unlock();
    }
  }

  private void tell(byte[] message) {
    A answer;
    try {
      answer = method.parseResponse(Messages.stream(message));
    } catch (RuntimeException e) {
      giveUp(
          e instanceof StatusRuntimeException known
              ? known.getStatus()
              : Status.INTERNAL.withDescription("an answer that cannot be read").withCause(e));
      return;
    }
    tellTaken(0);
    try {
      listener().onMessage(answer);
    } catch (RuntimeException | Error e) {
      // Whatever it is, the call must not go on unheard.
      LOG.log(
          System.Logger.Level.ERROR, "answer not taken method=" + method.getFullMethodName(), e);
      giveUp(Status.CANCELLED.withDescription("the answer was not taken").withCause(e));
    }
  }

  private Listener<A> listener() {
    if (listener == null) throw new IllegalStateException("the call was not started");
    return listener;
  }
}
