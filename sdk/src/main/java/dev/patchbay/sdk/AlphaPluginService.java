package dev.patchbay.sdk;

import com.google.protobuf.MessageLite;
import dev.patchbay.proto.deviceplugin.v1alpha.AllocateRequest;
import dev.patchbay.proto.deviceplugin.v1alpha.DevicePluginGrpc;
import dev.patchbay.proto.deviceplugin.v1alpha.Empty;
import dev.patchbay.proto.deviceplugin.v1alpha.ListAndWatchResponse;
import dev.patchbay.sdk.wire.AlphaMessages;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.InputStream;

/// Answers a kubelet of 1.8 or 1.9 for one plugin, beside [PluginService], which does the work.
///
/// The answers to Allocate of these two are different messages of one call. So the call is put
/// together here, with an answer of whatever message the kubelet needs that was registered with.
final class AlphaPluginService implements BindableService {
  private static final MethodDescriptor<AllocateRequest, MessageLite> ALLOCATE =
      DevicePluginGrpc.getAllocateMethod().toBuilder(
              ProtoUtils.marshaller(AllocateRequest.getDefaultInstance()), new AnyMessage())
          .build();

  private final PluginService plugin;
  private final ListStreams streams;
  private volatile KubeletApi api = KubeletApi.V1ALPHA2;

  AlphaPluginService(PluginService plugin, ListStreams streams) {
    this.plugin = plugin;
    this.streams = streams;
  }

  /// The kubelet that is asked now speaks this version.
  void speak(KubeletApi spoken) {
    api = spoken;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return ServerServiceDefinition.builder(DevicePluginGrpc.SERVICE_NAME)
        .addMethod(
            DevicePluginGrpc.getListAndWatchMethod(),
            ServerCalls.asyncServerStreamingCall(this::listAndWatch))
        .addMethod(ALLOCATE, ServerCalls.asyncUnaryCall(this::allocate))
        .build();
  }

  private void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> answer) {
    streams.serve((ServerCallStreamObserver<ListAndWatchResponse>) answer, AlphaMessages::list);
  }

  private void allocate(AllocateRequest request, StreamObserver<MessageLite> answer) {
    plugin.reply(
        "Allocate",
        answer,
        () -> {
          var edits = plugin.granted(request.getDevicesIDsList());
          return api == KubeletApi.V0_1 ? AlphaMessages.specs(edits) : AlphaMessages.flat(edits);
        });
  }

  /// Writes any message; nothing is read.
  private static final class AnyMessage implements MethodDescriptor.Marshaller<MessageLite> {
    @Override
    public InputStream stream(MessageLite message) {
      return new ByteArrayInputStream(message.toByteArray());
    }

    @Override
    public MessageLite parse(InputStream stream) {
      throw new UnsupportedOperationException("an answer to Allocate is never read by a plugin");
    }
  }
}
