package dev.patchbay.kubelet;

import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/// A message that is whatever bytes it has.
public enum RawBytes implements MethodDescriptor.Marshaller<byte[]> {
  MARSHALLER;

  @Override
  public InputStream stream(byte[] bytes) {
    return new ByteArrayInputStream(bytes);
  }

  @Override
  public byte[] parse(InputStream stream) {
    try {
      return stream.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
