package dev.patchbay.kubelet.registration;

import dev.patchbay.kubelet.wire.AlphaMessages;
import dev.patchbay.kubelet.wire.ListedDevices;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import dev.patchbay.proto.deviceplugin.v1alpha.AllocateRequest;
import dev.patchbay.proto.deviceplugin.v1alpha.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1alpha.DevicePluginGrpc;
import dev.patchbay.proto.deviceplugin.v1alpha.RuntimeSpecsResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// The calls before `v1beta1`: lists and Allocate, and no more.
///
/// @param api which of the two; their answers to Allocate differ
record AlphaCalls(Channel channel, PluginApi api) implements PluginCalls {
  private static final MethodDescriptor<AllocateRequest, RuntimeSpecsResponse> ALLOCATE_OF_0_1 =
      DevicePluginGrpc.getAllocateMethod().toBuilder(
              ProtoUtils.marshaller(AllocateRequest.getDefaultInstance()),
              ProtoUtils.marshaller(RuntimeSpecsResponse.getDefaultInstance()))
          .build();

  @Override
  public Abilities abilities(Duration timeout) {
    return Abilities.NONE;
  }

  @Override
  public void listAndWatch(StreamObserver<ListedDevices> reader) {
    ListStream.open(channel, DevicePluginGrpc.SERVICE_NAME, reader);
  }

  @Override
  public Set<DeviceId> preferred(
      Collection<DeviceId> available,
      Collection<DeviceId> mustInclude,
      int size,
      Duration timeout) {
    throw new IllegalStateException("a plugin of " + api.version() + " has no preference");
  }

  @Override
  public ContainerEdits allocate(Collection<DeviceId> devices, Duration timeout)
      throws IOException {
    var request =
        AllocateRequest.newBuilder()
            .addAllDevicesIDs(devices.stream().map(DeviceId::value).toList())
            .build();
    var options = CallOptions.DEFAULT.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS);
    return switch (api) {
      case V1ALPHA2 -> {
        AllocateResponse answer =
            ClientCalls.blockingUnaryCall(
                channel, DevicePluginGrpc.getAllocateMethod(), options, request);
        yield AlphaMessages.edits(answer);
      }
      case V0_1 ->
          AlphaMessages.edits(
              ClientCalls.blockingUnaryCall(channel, ALLOCATE_OF_0_1, options, request));
      case V1BETA1 -> throw new IllegalStateException("v1beta1 has calls of its own");
    };
  }

  @Override
  public void preStart(Collection<DeviceId> devices, Duration timeout) {
    throw new IllegalStateException(
        "a plugin of " + api.version() + " wants no call before a container starts");
  }
}
