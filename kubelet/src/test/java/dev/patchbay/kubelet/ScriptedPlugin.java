package dev.patchbay.kubelet;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerPreferredAllocationResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginGrpc;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.NUMANode;
import dev.patchbay.proto.deviceplugin.v1beta1.PreStartContainerRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.PreStartContainerResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.RegisterRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.RegistrationGrpc;
import dev.patchbay.proto.deviceplugin.v1beta1.TopologyInfo;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixChannel;
import dev.patchbay.rpc.UnixServer;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/// A device plugin on a real socket that does what a test says, right or wrong, and remembers what
/// it was asked. It knows nothing of the SDK: bytes on the wire are all that the two sides share.
final class ScriptedPlugin implements AutoCloseable {
  /// What is done with a call.
  interface Script<Q, A> {
    void run(Q request, StreamObserver<A> answer);
  }

  private final Path directory;
  private final String endpoint;
  private final Transport transport = Transport.open();
  private final List<StreamObserver<ListAndWatchResponse>> streams = new ArrayList<>();
  private final List<String> calls = new CopyOnWriteArrayList<>();
  private Optional<UnixServer> server = Optional.empty();
  private Optional<ListAndWatchResponse> newest = Optional.empty();

  /// How the calls are answered; the kubelet sees a change with its next call.
  volatile Script<Empty, DevicePluginOptions> options =
      answer(DevicePluginOptions.getDefaultInstance());

  volatile Script<AllocateRequest, AllocateResponse> allocate = answer(edits(_ -> {}));
  volatile Script<PreferredAllocationRequest, PreferredAllocationResponse> preferred =
      fail(Status.UNIMPLEMENTED);
  volatile Script<PreStartContainerRequest, PreStartContainerResponse> preStart =
      fail(Status.UNIMPLEMENTED);

  /// @param directory the kubelet's device plugin directory
  /// @param endpoint name of the plugin's socket file in it
  ScriptedPlugin(Path directory, String endpoint) {
    this.directory = directory;
    this.endpoint = endpoint;
  }

  /// Answers so, whatever was asked.
  static <Q, A> Script<Q, A> answer(A answer) {
    return (_, observer) -> {
      observer.onNext(answer);
      observer.onCompleted();
    };
  }

  /// Answers with an error.
  static <Q, A> Script<Q, A> fail(Status status) {
    return (_, observer) -> observer.onError(status.asException());
  }

  /// Never answers.
  static <Q, A> Script<Q, A> hang() {
    return (_, _) -> {};
  }

  /// Ends the whole plugin in the middle of the call.
  <Q, A> Script<Q, A> die() {
    return (_, _) -> close();
  }

  /// An answer to Allocate for one container.
  static AllocateResponse edits(Consumer<ContainerAllocateResponse.Builder> what) {
    var container = ContainerAllocateResponse.newBuilder();
    what.accept(container);
    return AllocateResponse.newBuilder().addContainerResponses(container).build();
  }

  /// An answer to GetPreferredAllocation for one container.
  static PreferredAllocationResponse prefer(String... ids) {
    return PreferredAllocationResponse.newBuilder()
        .addContainerResponses(
            ContainerPreferredAllocationResponse.newBuilder().addAllDeviceIDs(List.of(ids)))
        .build();
  }

  /// A healthy device that lies on these NUMA nodes.
  static Device device(String id, long... nodes) {
    var device = Device.newBuilder().setID(id).setHealth("Healthy");
    if (nodes.length > 0) {
      var topology = TopologyInfo.newBuilder();
      Arrays.stream(nodes).forEach(node -> topology.addNodes(NUMANode.newBuilder().setID(node)));
      device.setTopology(topology);
    }
    return device.build();
  }

  /// A device with this health, which may be any text.
  static Device device(String id, String health) {
    return Device.newBuilder().setID(id).setHealth(health).build();
  }

  String endpoint() {
    return endpoint;
  }

  /// Opens the socket.
  ScriptedPlugin open() {
    try {
      server = Optional.of(transport.serve(directory.resolve(endpoint), List.of(new Service())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /// Registers as a well-behaved plugin does.
  ///
  /// @return the kubelet's error, or empty when it accepted
  Optional<Status> register(ResourceName resource) {
    return register("v1beta1", resource.toString(), endpoint);
  }

  /// Registers, and does not wait longer than this for the answer.
  Optional<Status> registerFor(Duration patience, ResourceName resource) {
    return register("v1beta1", resource.toString(), endpoint, patience);
  }

  /// Registers with anything in the request.
  Optional<Status> register(String version, String resource, String anyEndpoint) {
    return register(version, resource, anyEndpoint, Duration.ofSeconds(20));
  }

  private Optional<Status> register(
      String version, String resource, String anyEndpoint, Duration patience) {
    var request =
        RegisterRequest.newBuilder()
            .setVersion(version)
            .setResourceName(resource)
            .setEndpoint(anyEndpoint)
            .build();
    try (UnixChannel channel = transport.connect(directory.resolve("kubelet.sock"))) {
      var _ =
          RegistrationGrpc.newBlockingStub(channel.grpc())
              .withDeadlineAfter(patience.toMillis(), MILLISECONDS)
              .register(request);
      return Optional.empty();
    } catch (StatusRuntimeException e) {
      return Optional.of(e.getStatus());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Sends a list on all open streams; streams that are opened later begin with it.
  ScriptedPlugin list(Device... devices) {
    var list = ListAndWatchResponse.newBuilder().addAllDevices(List.of(devices)).build();
    synchronized (streams) {
      newest = Optional.of(list);
      streams.forEach(stream -> stream.onNext(list));
    }
    return this;
  }

  /// Sends a list of healthy devices without NUMA nodes.
  ScriptedPlugin list(String... ids) {
    return list(Arrays.stream(ids).map(id -> device(id)).toArray(Device[]::new));
  }

  /// Ends all streams; the plugin stays there.
  void endStreams() {
    synchronized (streams) {
      streams.forEach(StreamObserver::onCompleted);
      streams.clear();
    }
  }

  /// The calls so far, each with its ids: `Allocate [a, b]`.
  List<String> calls() {
    return List.copyOf(calls);
  }

  @Override
  public void close() {
    server.ifPresent(UnixServer::close);
    transport.close();
  }

  private static String sorted(List<String> ids) {
    return ids.stream().map(DeviceId::of).sorted().toList().toString();
  }

  private final class Service extends DevicePluginGrpc.DevicePluginImplBase {
    @Override
    public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> answer) {
      calls.add("GetDevicePluginOptions");
      options.run(request, answer);
    }

    @Override
    public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> stream) {
      synchronized (streams) {
        newest.ifPresent(stream::onNext);
        streams.add(stream);
        calls.add("ListAndWatch");
      }
    }

    @Override
    public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> answer) {
      request
          .getContainerRequestsList()
          .forEach(each -> calls.add("Allocate " + sorted(each.getDevicesIdsList())));
      allocate.run(request, answer);
    }

    @Override
    public void getPreferredAllocation(
        PreferredAllocationRequest request, StreamObserver<PreferredAllocationResponse> answer) {
      request
          .getContainerRequestsList()
          .forEach(each ->
              calls.add(
                  "GetPreferredAllocation %s must %s size %d"
                      .formatted(
                          sorted(each.getAvailableDeviceIDsList()),
                          sorted(each.getMustIncludeDeviceIDsList()),
                          each.getAllocationSize())));
      preferred.run(request, answer);
    }

    @Override
    public void preStartContainer(
        PreStartContainerRequest request, StreamObserver<PreStartContainerResponse> answer) {
      calls.add("PreStartContainer " + sorted(request.getDevicesIdsList()));
      preStart.run(request, answer);
    }
  }
}
