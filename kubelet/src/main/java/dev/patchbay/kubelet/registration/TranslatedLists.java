package dev.patchbay.kubelet.registration;

import dev.patchbay.kubelet.wire.Messages;
import io.grpc.stub.StreamObserver;
import java.util.function.BiFunction;

/// Turns a plugin's messages into lists, each with a look at the one before. For one stream, whose
/// messages come one after the other.
final class TranslatedLists<M> implements StreamObserver<M> {
  private final StreamObserver<Messages.Listed> reader;
  private final BiFunction<M, Messages.Listed, Messages.Listed> translation;
  private Messages.Listed last = Messages.Listed.NOTHING;

  TranslatedLists(
      StreamObserver<Messages.Listed> reader,
      BiFunction<M, Messages.Listed, Messages.Listed> translation) {
    this.reader = reader;
    this.translation = translation;
  }

  @Override
  public void onNext(M message) {
    last = translation.apply(message, last);
    reader.onNext(last);
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
