package dev.patchbay.rpc;

import dev.patchbay.rpc.hpack.Header;
import dev.patchbay.rpc.hpack.HeaderEncoder;
import dev.patchbay.rpc.http2.Connection;
import dev.patchbay.rpc.http2.ErrorCode;
import dev.patchbay.rpc.http2.Stream;
import dev.patchbay.rpc.http2.StreamReader;
import io.grpc.BindableService;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;

/// Finds the method that a call is for.
final class IncomingCalls implements Connection.Acceptor {
  private final Map<String, ServerMethodDefinition<?, ?>> methods = new HashMap<>();
  private final Executor executor;

  /// @param executor runs the services, each call on a thread that may wait
  IncomingCalls(List<? extends BindableService> services, Executor executor) {
    this.executor = executor;
    for (BindableService service : services)
      for (ServerMethodDefinition<?, ?> method : service.bindService().getMethods()) {
        String name = method.getMethodDescriptor().getFullMethodName();
        if (!method.getMethodDescriptor().getType().clientSendsOneMessage())
          throw new IllegalArgumentException(
              "method " + name + " takes a stream of requests; only one is carried here");
        methods.put("/" + name, method);
      }
  }

  @Override
  public StreamReader accept(Stream stream, List<Header> headers, boolean isLast) {
    Optional<String> path = WireStatus.valueOf(":path", headers).filter(it -> it.startsWith("/"));
    Optional<String> refusal = refusalOf(headers);
    if (refusal.isPresent()) {
      stream.finish(
          Optional.empty(),
          Optional.empty(),
          HeaderEncoder.encode(List.of(new Header(":status", refusal.get()))));
      return Ignored.READER;
    }
    ServerMethodDefinition<?, ?> method = methods.get(path.orElse(""));
    if (method == null) {
      Status unknown = Status.UNIMPLEMENTED.withDescription(unknown(path.orElse("/")));
      stream.finish(Optional.empty(), Optional.empty(), WireStatus.alone(unknown));
      return Ignored.READER;
    }
    var call = new IncomingCall<>(stream, method, executor);
    if (isLast) call.headers(headers, true);
    return call;
  }

  /// In the words of Go's gRPC.
  private String unknown(String path) {
    int slash = Math.max(path.lastIndexOf('/'), 1);
    String service = path.substring(1, slash);
    boolean isServed = methods.keySet().stream().anyMatch(it -> it.startsWith("/" + service + "/"));
    return isServed
        ? "unknown method " + path.substring(slash + 1) + " for service " + service
        : "unknown service " + service;
  }

  /// The HTTP status for what is no gRPC call.
  private static Optional<String> refusalOf(List<Header> headers) {
    if (!WireStatus.valueOf(":method", headers).equals(Optional.of("POST")))
      return Optional.of("405");
    boolean isGrpc =
        WireStatus.valueOf("content-type", headers)
            .filter(type -> type.startsWith("application/grpc"))
            .isPresent();
    return isGrpc ? Optional.empty() : Optional.of("415");
  }

  /// What still comes on a stream that was answered.
  private enum Ignored implements StreamReader {
    READER;

    @Override
    public void headers(List<Header> headers, boolean isLast) {}

    @Override
    public void data(byte[] bytes, int from, int length, boolean isLast) {}

    @Override
    public void writable() {}

    @Override
    public void reset(ErrorCode code, String why) {}

    @Override
    public void lost(String why) {}
  }
}
