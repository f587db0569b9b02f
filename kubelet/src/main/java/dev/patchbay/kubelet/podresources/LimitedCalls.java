package dev.patchbay.kubelet.podresources;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;

/// Refuses the calls that are over the limit, before anybody sees them.
record LimitedCalls(CallLimit limit) implements ServerInterceptor {
  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    if (limit.allows()) return next.startCall(call, headers);
    call.close(Status.RESOURCE_EXHAUSTED.withDescription("rejected by rate limit"), new Metadata());
    return new ServerCall.Listener<>() {};
  }
}
