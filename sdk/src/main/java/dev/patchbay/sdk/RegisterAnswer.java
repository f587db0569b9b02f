package dev.patchbay.sdk;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.Optional;

/// The kubelet's answer to one Register call, which wakes the task that waits for it and for other
/// things.
///
/// @param <A> the empty message of a version of the API
final class RegisterAnswer<A> implements StreamObserver<A> {
  private final Runnable wake;
  private volatile Optional<Status> end = Optional.empty();

  RegisterAnswer(Runnable wake) {
    this.wake = wake;
  }

  /// Whether there is no answer yet.
  boolean isAwaited() {
    return end.isEmpty();
  }

  /// Why the kubelet does not take the registration; empty when it does, or is awaited.
  Optional<Status> refusal() {
    return end.filter(status -> !status.isOk());
  }

  @Override
  public void onNext(A value) {}

  @Override
  public void onError(Throwable failure) {
    end(Status.fromThrowable(failure));
  }

  @Override
  public void onCompleted() {
    end(Status.OK);
  }

  private void end(Status status) {
    end = Optional.of(status);
    wake.run();
  }
}
