package dev.patchbay.kubelet.registration;

import dev.patchbay.kubelet.wire.Messages;
import io.grpc.stub.StreamObserver;
import java.util.function.Function;

/// Turns a plugin's messages into lists.
record TranslatedLists<M>(
    StreamObserver<Messages.Listed> reader, Function<M, Messages.Listed> translation)
    implements StreamObserver<M> {
  @Override
  public void onNext(M message) {
    reader.onNext(translation.apply(message));
  }

  @Override
  public void onError(Throwable failure) {
    reader.onError(failure);
  }

  @Override
  public void onCompleted() {
    reader.onCompleted();
  }
}
