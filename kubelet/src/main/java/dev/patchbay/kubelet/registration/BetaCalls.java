package dev.patchbay.kubelet.registration;

import dev.patchbay.kubelet.wire.ListedDevices;
import dev.patchbay.kubelet.wire.Messages;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginGrpc;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.PreStartContainerRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.grpc.Channel;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/// The calls of `v1beta1`.
record BetaCalls(Channel channel) implements PluginCalls {
  @Override
  public Abilities abilities(Duration timeout) {
    DevicePluginOptions options = stub(timeout).getDevicePluginOptions(Empty.getDefaultInstance());
    return new Abilities(
        options.getPreStartRequired(), options.getGetPreferredAllocationAvailable());
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
    var request =
        PreferredAllocationRequest.newBuilder()
            .addContainerRequests(
                ContainerPreferredAllocationRequest.newBuilder()
                    .addAllAvailableDeviceIDs(texts(available))
                    .addAllMustIncludeDeviceIDs(texts(mustInclude))
                    .setAllocationSize(size))
            .build();
    var response = stub(timeout).getPreferredAllocation(request);
    if (response.getContainerResponsesCount() == 0) return Set.of();
    Set<String> answered = Set.copyOf(response.getContainerResponses(0).getDeviceIDsList());
    // Anything may be among them, and what was not offered does not count.
    return available.stream()
        .filter(id -> answered.contains(id.value()))
        .collect(Collectors.toUnmodifiableSet());
  }

  @Override
  public ContainerEdits allocate(Collection<DeviceId> devices, Duration timeout)
      throws IOException {
    var request =
        AllocateRequest.newBuilder()
            .addContainerRequests(
                ContainerAllocateRequest.newBuilder().addAllDevicesIds(texts(devices)))
            .build();
    AllocateResponse response = stub(timeout).allocate(request);
    if (response.getContainerResponsesCount() == 0)
      throw new IOException("no containers return in allocation response " + response);
    return Messages.edits(response.getContainerResponses(0));
  }

  @Override
  public void preStart(Collection<DeviceId> devices, Duration timeout) {
    var request = PreStartContainerRequest.newBuilder().addAllDevicesIds(texts(devices)).build();
    var _ = stub(timeout).preStartContainer(request);
  }

  private DevicePluginGrpc.DevicePluginBlockingStub stub(Duration timeout) {
    return DevicePluginGrpc.newBlockingStub(channel)
        .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  private static List<String> texts(Collection<DeviceId> ids) {
    return ids.stream().map(DeviceId::value).toList();
  }
}
