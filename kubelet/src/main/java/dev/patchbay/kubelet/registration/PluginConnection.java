package dev.patchbay.kubelet.registration;

import dev.patchbay.kubelet.wire.GoStatus;
import dev.patchbay.kubelet.wire.Messages;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginGrpc;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.PreStartContainerRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixChannel;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// The connection to one plugin, from its registration until its list's stream ends.
public final class PluginConnection implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.kubelet");

  private final long number;
  private final ResourceName resource;
  private final UnixChannel channel;
  private final DevicePluginOptions options;
  private final Timeouts timeouts;

  private PluginConnection(
      long number,
      ResourceName resource,
      UnixChannel channel,
      DevicePluginOptions options,
      Timeouts timeouts) {
    this.number = number;
    this.resource = resource;
    this.channel = channel;
    this.options = options;
    this.timeouts = timeouts;
  }

  /// What becomes of a plugin's stream.
  public interface Listener {
    /// A full list arrived.
    void listed(PluginConnection connection, Messages.Listed list);

    /// The stream ended, for whatever reason; nothing follows.
    void ended(PluginConnection connection, String why);
  }

  /// Connects to a plugin and asks for its options. A plugin may register first and open its socket
  /// then.
  ///
  /// @param number told back with each event, never used twice
  static PluginConnection open(
      Transport transport, long number, ResourceName resource, Path socket, Timeouts timeouts)
      throws IOException, InterruptedException {
    UnixChannel channel = transport.connect(socket);
    try {
      try {
        channel.awaitListener(timeouts.dial());
      } catch (IOException e) {
        throw new IOException("failed to dial device plugin: " + e.getMessage(), e);
      }
      DevicePluginOptions options =
          DevicePluginGrpc.newBlockingStub(channel.grpc())
              .withDeadlineAfter(timeouts.dial().toNanos(), TimeUnit.NANOSECONDS)
              .getDevicePluginOptions(Empty.getDefaultInstance());
      return new PluginConnection(number, resource, channel, options, timeouts);
    } catch (StatusRuntimeException e) {
      channel.close();
      throw new PluginRefusal("failed to get device plugin options: ", e);
    } catch (IOException | InterruptedException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /// The connection's number.
  public long number() {
    return number;
  }

  /// The resource that the plugin registered.
  public ResourceName resource() {
    return resource;
  }

  /// Whether the plugin wants to be asked which devices it prefers to give.
  public boolean hasPreference() {
    return options.getGetPreferredAllocationAvailable();
  }

  /// Whether the plugin wants to be called before each start of a container.
  public boolean wantsPreStart() {
    return options.getPreStartRequired();
  }

  /// Starts to read the list. Returns at once.
  void watch(Listener listener) {
    // A call made inside the Register call would end with it.
    Context.ROOT.run(() ->
        DevicePluginGrpc.newStub(channel.grpc())
            .listAndWatch(Empty.getDefaultInstance(), new ListReader(listener)));
  }

  /// Which of the available devices the plugin would give; may hold anything.
  public Set<DeviceId> preferred(
      Collection<DeviceId> available, Collection<DeviceId> mustInclude, int size)
      throws IOException {
    var request =
        PreferredAllocationRequest.newBuilder()
            .addContainerRequests(
                ContainerPreferredAllocationRequest.newBuilder()
                    .addAllAvailableDeviceIDs(texts(available))
                    .addAllMustIncludeDeviceIDs(texts(mustInclude))
                    .setAllocationSize(size))
            .build();
    try {
      var response = stub(timeouts.call()).getPreferredAllocation(request);
      if (response.getContainerResponsesCount() == 0) return Set.of();
      Set<DeviceId> ids = new LinkedHashSet<>();
      for (String id : response.getContainerResponses(0).getDeviceIDsList())
        if (!id.isBlank()) ids.add(DeviceId.of(id));
      return ids;
    } catch (StatusRuntimeException e) {
      throw new PluginRefusal("device plugin GetPreferredAllocation rpc failed with err: ", e);
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "device plugin GetPreferredAllocation answered nonsense: " + e.getMessage(), e);
    }
  }

  /// What a container needs for these devices.
  public ContainerEdits allocate(Collection<DeviceId> devices) throws IOException {
    var request =
        AllocateRequest.newBuilder()
            .addContainerRequests(
                ContainerAllocateRequest.newBuilder().addAllDevicesIds(texts(devices)))
            .build();
    AllocateResponse response;
    try {
      response = stub(timeouts.call()).allocate(request);
    } catch (StatusRuntimeException e) {
      // The kubelet waits for ever and so has no words for this.
      boolean late = e.getStatus().getCode() == Status.Code.DEADLINE_EXCEEDED;
      throw new PluginRefusal(
          late
              ? "device plugin of %s did not answer Allocate within %s: "
                  .formatted(resource, timeouts.call())
              : "",
          e);
    }
    if (response.getContainerResponsesCount() == 0)
      throw new IOException("no containers return in allocation response " + response);
    return Messages.edits(response.getContainerResponses(0));
  }

  /// Lets the plugin prepare the devices right before a container starts.
  public void preStart(Collection<DeviceId> devices) throws IOException {
    var request = PreStartContainerRequest.newBuilder().addAllDevicesIds(texts(devices)).build();
    try {
      var _ = stub(timeouts.preStart()).preStartContainer(request);
    } catch (StatusRuntimeException e) {
      throw new PluginRefusal("device plugin PreStartContainer rpc failed with err: ", e);
    }
  }

  private DevicePluginGrpc.DevicePluginBlockingStub stub(Duration timeout) {
    return DevicePluginGrpc.newBlockingStub(channel.grpc())
        .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  private static List<String> texts(Collection<DeviceId> ids) {
    return ids.stream().map(DeviceId::value).toList();
  }

  @Override
  public void close() {
    channel.close();
  }

  private final class ListReader implements StreamObserver<ListAndWatchResponse> {
    private final Listener listener;

    ListReader(Listener listener) {
      this.listener = listener;
    }

    @Override
    public void onNext(ListAndWatchResponse message) {
      Messages.Listed list = Messages.devices(message);
      for (String problem : list.problems())
        LOG.log(
            System.Logger.Level.WARNING, "odd list resource=" + resource + " problem=" + problem);
      listener.listed(PluginConnection.this, list);
    }

    @Override
    public void onError(Throwable failure) {
      listener.ended(
          PluginConnection.this,
          failure instanceof StatusRuntimeException status
              ? GoStatus.text(status)
              : failure.toString());
    }

    @Override
    public void onCompleted() {
      listener.ended(PluginConnection.this, "the plugin ended the stream");
    }
  }
}
