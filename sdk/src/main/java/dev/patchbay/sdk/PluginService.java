package dev.patchbay.sdk;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.DeviceList;
import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerPreferredAllocationResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginGrpc;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.PreStartContainerRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.PreStartContainerResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import dev.patchbay.sdk.wire.Messages;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// Answers the kubelet's calls for one plugin. What a request says is checked here, so that the
/// author's code sees devices that exist and can be given away.
final class PluginService extends DevicePluginGrpc.DevicePluginImplBase {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.sdk");

  private final ResourceName resource;
  private final DevicePlugin plugin;
  private final ListStreams streams;

  PluginService(ResourceName resource, DevicePlugin plugin, ListStreams streams) {
    this.resource = resource;
    this.plugin = plugin;
    this.streams = streams;
  }

  static DevicePluginOptions optionsOf(DevicePlugin plugin) {
    return Messages.options(plugin instanceof PreStart, plugin instanceof PreferredAllocation);
  }

  @Override
  public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> answer) {
    answer.onNext(optionsOf(plugin));
    answer.onCompleted();
  }

  @Override
  public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> answer) {
    streams.serve((ServerCallStreamObserver<ListAndWatchResponse>) answer, Messages::list);
  }

  @Override
  public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> answer) {
    reply(
        "Allocate",
        answer,
        () -> {
          if (request.getContainerRequestsCount() == 0)
            throw refusal(Status.INVALID_ARGUMENT, "Allocate names no container");
          var response = AllocateResponse.newBuilder();
          for (var container : request.getContainerRequestsList())
            response.addContainerResponses(Messages.edits(granted(container.getDevicesIdsList())));
          return response.build();
        });
  }

  /// What one container gets for these devices, if each of them may be given to it now.
  ContainerEdits granted(List<String> devices) throws Exception {
    List<DeviceId> ids = grantable(devices);
    ContainerEdits edits = plugin.allocate(ids);
    LOG.log(System.Logger.Level.DEBUG, "allocated resource=" + resource + " devices=" + ids);
    return edits;
  }

  @Override
  public void getPreferredAllocation(
      PreferredAllocationRequest request, StreamObserver<PreferredAllocationResponse> answer) {
    reply(
        "GetPreferredAllocation",
        answer,
        () -> {
          if (!(plugin instanceof PreferredAllocation able))
            throw refusal(Status.UNIMPLEMENTED, "the plugin of " + resource + " has no preference");
          var response = PreferredAllocationResponse.newBuilder();
          for (var container : request.getContainerRequestsList())
            response.addContainerResponses(preferred(able, container));
          return response.build();
        });
  }

  private ContainerPreferredAllocationResponse preferred(
      PreferredAllocation able, ContainerPreferredAllocationRequest request) throws Exception {
    List<DeviceId> available = distinct(request.getAvailableDeviceIDsList());
    List<DeviceId> mustInclude = distinct(request.getMustIncludeDeviceIDsList());
    int size = request.getAllocationSize();
    if (!available.containsAll(mustInclude))
      throw refusal(
          Status.INVALID_ARGUMENT, "must include " + mustInclude + ", which is not all available");
    if (size < mustInclude.size() || size > available.size())
      throw refusal(
          Status.INVALID_ARGUMENT,
          "asked for "
              + size
              + " of "
              + available.size()
              + " devices with "
              + mustInclude.size()
              + " among them");
    Set<DeviceId> chosen = new TreeSet<>(able.prefer(available, Set.copyOf(mustInclude), size));
    if (!available.containsAll(chosen) || chosen.size() > size || !chosen.containsAll(mustInclude))
      throw refusal(
          Status.INTERNAL,
          "the plugin prefers "
              + chosen
              + "; needed are at most "
              + size
              + " of "
              + available
              + " with "
              + mustInclude);
    var response = ContainerPreferredAllocationResponse.newBuilder();
    chosen.forEach(id -> response.addDeviceIDs(id.value()));
    return response.build();
  }

  @Override
  public void preStartContainer(
      PreStartContainerRequest request, StreamObserver<PreStartContainerResponse> answer) {
    reply(
        "PreStartContainer",
        answer,
        () -> {
          List<DeviceId> ids = distinct(request.getDevicesIdsList());
          if (plugin instanceof PreStart able) able.preStart(ids);
          return PreStartContainerResponse.getDefaultInstance();
        });
  }

  /// The ids as values, when each of them may be given to a container now.
  private List<DeviceId> grantable(List<String> ids) throws StatusException {
    if (ids.isEmpty())
      throw refusal(Status.INVALID_ARGUMENT, "Allocate for " + resource + " names no device");
    List<DeviceId> wanted = distinct(ids);
    DeviceList list =
        plugin.devices().latest().map(DeviceFeed.Version::list).orElse(DeviceList.EMPTY);
    Map<DeviceId, Device> known = new HashMap<>();
    list.forEach(device -> known.put(device.id(), device));
    for (DeviceId id : wanted) {
      Device device = known.get(id);
      if (device == null)
        throw refusal(
            Status.NOT_FOUND,
            "device "
                + id
                + " of "
                + resource
                + " is not known; there are "
                + known.size()
                + " others");
      if (!device.health().isHealthy())
        throw refusal(
            Status.FAILED_PRECONDITION,
            "device " + id + " of " + resource + " is " + device.health());
    }
    return wanted;
  }

  /// The ids as values, sorted.
  private List<DeviceId> distinct(List<String> ids) throws StatusException {
    Set<String> seen = new HashSet<>();
    for (String id : ids) {
      if (id.isEmpty()) throw refusal(Status.INVALID_ARGUMENT, "an empty device id of " + resource);
      if (!seen.add(id))
        throw refusal(
            Status.INVALID_ARGUMENT, "device " + id + " of " + resource + " is named twice");
    }
    try {
      return ids.stream().map(DeviceId::of).sorted().toList();
    } catch (IllegalArgumentException e) {
      throw refusal(Status.INVALID_ARGUMENT, String.valueOf(e.getMessage()));
    }
  }

  private static StatusException refusal(Status status, String why) {
    return status.withDescription(why).asException();
  }

  /// What an answer is made of.
  interface Answer<T> {
    T compute() throws Exception;
  }

  /// Answers a call, with an error where the answer cannot be made.
  <T> void reply(String call, StreamObserver<T> observer, Answer<T> answer) {
    T message;
    try {
      message = answer.compute();
    } catch (StatusException e) {
      refuse(call, observer, e);
      return;
    } catch (Exception e) {
      if (e instanceof InterruptedException) Thread.currentThread().interrupt();
      String why = e.getMessage() == null ? e.toString() : e.getMessage();
      refuse(call, observer, Status.UNKNOWN.withDescription(why).withCause(e).asException());
      return;
    }
    observer.onNext(message);
    observer.onCompleted();
  }

  private void refuse(String call, StreamObserver<?> observer, StatusException why) {
    LOG.log(
        System.Logger.Level.WARNING,
        "call refused call={0} resource={1} status={2} reason={3}",
        call,
        resource,
        why.getStatus().getCode(),
        String.valueOf(why.getStatus().getDescription()));
    observer.onError(why);
  }
}
