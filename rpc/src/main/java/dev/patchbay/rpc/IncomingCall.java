package dev.patchbay.rpc;

import dev.patchbay.rpc.hpack.Header;
import dev.patchbay.rpc.http2.ErrorCode;
import dev.patchbay.rpc.http2.Stream;
import dev.patchbay.rpc.http2.StreamReader;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// One call that a client made: its request is read by the event loop, the service runs on a thread
/// of its own.
///
/// A single answer is kept until the call is closed, so that all of it is one write. The service
/// runs in the call's gRPC context, which is cancelled when the client gives the call up.
final class IncomingCall<Q, A> extends ServerCall<Q, A> implements StreamReader {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.rpc");

  private final Stream stream;
  private final ServerMethodDefinition<Q, A> method;
  private final SerialTasks tasks;
  private final Messages messages = new Messages();
  private final Context.CancellableContext context = Context.ROOT.withCancellation();
  private Optional<byte[]> request = Optional.empty();
  private volatile boolean cancelled;
  private volatile boolean closed;

  // Of the tasks.
  private @Nullable Listener<Q> listener;

  // Of whoever answers, one at a time.
  private boolean headersSent;
  private Optional<byte[]> answer = Optional.empty();

  IncomingCall(Stream stream, ServerMethodDefinition<Q, A> method, Executor executor) {
    this.stream = stream;
    this.method = method;
    tasks = new SerialTasks(executor);
  }

  // What arrives.

  @Override
  public void headers(List<Header> headers, boolean isLast) {
    requestComplete();
  }

  @Override
  public void data(byte[] bytes, int from, int length, boolean isLast) {
    try {
      messages.add(bytes, from, length, this::received);
    } catch (StatusRuntimeException e) {
      refuse(e.getStatus());
      return;
    }
    stream.taken(length);
    if (isLast) requestComplete();
  }

  private void received(byte[] message) {
    if (request.isPresent())
      throw Status.INTERNAL.withDescription("more than one request").asRuntimeException();
    request = Optional.of(message);
  }

  private void requestComplete() {
    if (closed) return;
    if (request.isEmpty() || messages.isInside()) {
      refuse(Status.INTERNAL.withDescription("the call ends in the middle of its request"));
      return;
    }
    byte[] message = request.get();
    tasks.add(() -> serve(message));
  }

  /// Without the service.
  private void refuse(Status status) {
    closed = true;
    stream.finish(Optional.empty(), Optional.empty(), WireStatus.alone(status));
  }

  @Override
  public void writable() {
    tellListener(Listener::onReady);
  }

  @Override
  public void reset(ErrorCode code, String why) {
    cancel();
  }

  @Override
  public void lost(String why) {
    cancel();
  }

  private void cancel() {
    if (cancelled || closed) return;
    cancelled = true;
    context.cancel(null);
    tellListener(Listener::onCancel);
  }

  private interface Event<Q> {
    void of(Listener<Q> listener);
  }

  private void tellListener(Event<Q> event) {
    tasks.add(() -> {
      Listener<Q> told = listener;
      if (told != null) guarded(() -> event.of(told));
    });
  }

  // The service's thread.

  private void serve(byte[] message) {
    if (cancelled) return;
    context.run(() -> guarded(() -> begin(message)));
  }

  private void begin(byte[] message) {
    Q parsed;
    try {
      parsed = method.getMethodDescriptor().parseRequest(Messages.stream(message));
    } catch (StatusRuntimeException e) {
      // The client's fault, not the service's.
      close(e.getStatus(), new Metadata());
      return;
    }
    Listener<Q> started = method.getServerCallHandler().startCall(this, new Metadata());
    listener = started;
    started.onMessage(parsed);
    started.onHalfClose();
  }

  /// A service that throws has failed this call, and no other.
  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.log(
          System.Logger.Level.ERROR,
          "call failed method=" + method.getMethodDescriptor().getFullMethodName(),
          e);
      if (!closed) close(Status.UNKNOWN.withDescription("the service failed"), new Metadata());
    }
  }

  @Override
  public void request(int messages) {
    // There is one, and it was read before the service began.
  }

  @Override
  public void sendHeaders(Metadata headers) {
    // They go with the first message.
  }

  @Override
  public void sendMessage(A message) {
    if (closed) throw new IllegalStateException("the call is closed already");
    byte[] framed = Messages.framed(method.getMethodDescriptor().streamResponse(message));
    if (method.getMethodDescriptor().getType().serverSendsOneMessage()) {
      answer = Optional.of(framed);
      return;
    }
    if (!headersSent) stream.headers(WireStatus.ANSWER);
    headersSent = true;
    stream.data(framed);
  }

  @Override
  public void close(Status status, Metadata trailers) {
    if (closed) throw new IllegalStateException("the call is closed already");
    closed = true;
    if (!status.isOk()) answer = Optional.empty();
    boolean isAlone = !headersSent && answer.isEmpty();
    stream.finish(
        isAlone || headersSent ? Optional.empty() : Optional.of(WireStatus.ANSWER),
        answer,
        isAlone ? WireStatus.alone(status) : WireStatus.trailers(status));
    if (!cancelled) tellListener(Listener::onComplete);
  }

  @Override
  public boolean isReady() {
    return !closed && stream.isReady();
  }

  @Override
  public boolean isCancelled() {
    return cancelled;
  }

  @Override
  public MethodDescriptor<Q, A> getMethodDescriptor() {
    return method.getMethodDescriptor();
  }

  @Override
  public Attributes getAttributes() {
    return Attributes.EMPTY;
  }
}
