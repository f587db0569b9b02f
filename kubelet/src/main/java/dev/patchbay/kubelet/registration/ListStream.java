package dev.patchbay.kubelet.registration;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.patchbay.kubelet.wire.DeviceListReader;
import dev.patchbay.kubelet.wire.ListedDevices;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginGrpc;
import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/// The lists of one plugin. They come as bytes, which are compared with those of the list before.
final class ListStream implements MethodDescriptor.Marshaller<ListedDevices> {
  private final DeviceListReader reader = new DeviceListReader();

  private ListStream() {}

  /// Calls ListAndWatch. Returns at once.
  ///
  /// @param service `v1beta1.DevicePlugin`, or what came before it
  static void open(Channel channel, String service, StreamObserver<ListedDevices> observer) {
    MethodDescriptor<Empty, ListedDevices> method =
        DevicePluginGrpc.getListAndWatchMethod().toBuilder(
                ProtoUtils.marshaller(Empty.getDefaultInstance()), new ListStream())
            .setFullMethodName(MethodDescriptor.generateFullMethodName(service, "ListAndWatch"))
            .build();
    ClientCalls.asyncServerStreamingCall(
        channel.newCall(method, CallOptions.DEFAULT), Empty.getDefaultInstance(), observer);
  }

  @Override
  public ListedDevices parse(InputStream message) {
    try {
      return reader.read(message.readAllBytes());
    } catch (InvalidProtocolBufferException e) {
      throw Status.INTERNAL
          .withDescription("Invalid protobuf byte sequence")
          .withCause(e)
          .asRuntimeException();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The other side of a marshaller, for which there is no use here.
  @Override
  public InputStream stream(ListedDevices list) {
    throw new UnsupportedOperationException("lists are only read");
  }
}
