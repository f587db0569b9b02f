package dev.patchbay.testkit;

import dev.patchbay.proto.deviceplugin.v1beta1.AllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerPreferredAllocationResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginGrpc;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import dev.patchbay.proto.deviceplugin.v1beta1.DeviceSpec;
import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.PreStartContainerRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.PreStartContainerResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.RegisterRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.RegistrationGrpc;
import dev.patchbay.proto.pluginregistration.InfoRequest;
import dev.patchbay.proto.pluginregistration.PluginInfo;
import dev.patchbay.proto.pluginregistration.RegistrationStatus;
import dev.patchbay.proto.pluginregistration.RegistrationStatusResponse;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixChannel;
import dev.patchbay.rpc.UnixServer;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// A plugin that does what a test tells it, also what no plugin should, and remembers how it was
/// called.
///
/// One thread drives it; what it received can be read by any.
public final class ScriptedPlugin implements AutoCloseable {
  private final Path directory;
  private final String resource;
  private final String endpoint;
  private final DevicePluginOptions options;
  private final Transport transport = Transport.open();
  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final List<String> told = new CopyOnWriteArrayList<>();
  private final List<StreamObserver<ListAndWatchResponse>> streams = new ArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private Optional<ListAndWatchResponse> list = Optional.empty();
  private Optional<UnixServer> offered = Optional.empty();
  private volatile Optional<Status> optionsRefusal = Optional.empty();
  private volatile Answer<AllocateRequest, AllocateResponse> allocate = ScriptedPlugin::grant;
  private volatile Answer<PreferredAllocationRequest, PreferredAllocationResponse> prefer =
      ScriptedPlugin::firstOnes;
  private volatile Answer<PreStartContainerRequest, PreStartContainerResponse> preStart =
      _ -> PreStartContainerResponse.getDefaultInstance();

  /// What is answered to a request.
  @FunctionalInterface
  public interface Answer<Q, A> {
    /// The answer; an exception becomes the status of the call.
    A to(Q request) throws Exception;
  }

  private ScriptedPlugin(
      Path directory, String resource, String endpoint, DevicePluginOptions options) {
    this.directory = directory;
    this.resource = resource;
    this.endpoint = endpoint;
    this.options = options;
  }

  /// Serves on a socket with this name in the kubelet's `device-plugins`, which has to exist.
  /// Nothing is registered and no list is sent before the test says so.
  public static ScriptedPlugin serve(
      Path kubeletDir, String resource, String endpoint, DevicePluginOptions options)
      throws IOException {
    var plugin =
        new ScriptedPlugin(kubeletDir.resolve("device-plugins"), resource, endpoint, options);
    plugin.transport.serve(plugin.directory.resolve(endpoint), List.of(plugin.new Service()));
    return plugin;
  }

  /// Registers as an honest plugin does.
  ///
  /// @throws io.grpc.StatusRuntimeException when the kubelet refuses
  public void register() throws IOException {
    register(request());
  }

  /// Lets a kubelet find it: serves on a socket of its name in `plugins_registry`, where it says
  /// that it is a device plugin of its resource. What it is told comes to [#told].
  public void offer() throws IOException {
    offer(info());
  }

  /// Lets a kubelet find it and says anything about itself.
  public void offer(PluginInfo info) throws IOException {
    Path kubeletDir = Objects.requireNonNull(directory.getParent());
    Path registry = Files.createDirectories(kubeletDir.resolve("plugins_registry"));
    offered =
        Optional.of(
            transport.serve(
                registry.resolve(endpoint), List.of(new Service(), new OfferService(info))));
  }

  /// What an honest plugin says about itself; its socket in the registry is its endpoint.
  public PluginInfo info() {
    return PluginInfo.newBuilder()
        .setType("DevicePlugin")
        .setName(resource)
        .addSupportedVersions("v1beta1")
        .build();
  }

  /// Takes the socket in `plugins_registry` away, and leaves what is connected.
  public void withdraw() throws IOException {
    for (UnixServer server : offered.stream().toList()) Files.deleteIfExists(server.socket());
  }

  /// What it was told in the registry, oldest first: `registered`, or why not.
  public List<String> told() {
    return told;
  }

  /// The request of an honest plugin.
  public RegisterRequest request() {
    return RegisterRequest.newBuilder()
        .setVersion("v1beta1")
        .setResourceName(resource)
        .setEndpoint(endpoint)
        .setOptions(options)
        .build();
  }

  /// Registers with any request.
  ///
  /// @throws io.grpc.StatusRuntimeException when the kubelet refuses
  public void register(RegisterRequest request) throws IOException {
    try (UnixChannel channel = transport.connect(directory.resolve("kubelet.sock"))) {
      var _ =
          RegistrationGrpc.newBlockingStub(channel.grpc())
              .withDeadlineAfter(30, TimeUnit.SECONDS)
              .register(request);
    }
  }

  /// Sends these devices, all healthy, as the full list; to streams that open later too.
  public void list(String... ids) {
    var message = ListAndWatchResponse.newBuilder();
    for (String id : ids) message.addDevices(Device.newBuilder().setID(id).setHealth("Healthy"));
    list(message.build());
  }

  /// Sends any list; to streams that open later too.
  public synchronized void list(ListAndWatchResponse message) {
    list = Optional.of(message);
    streams.forEach(stream -> stream.onNext(message));
  }

  /// Ends the streams that are open, and nothing else.
  public synchronized void endStreams() {
    streams.forEach(StreamObserver::onCompleted);
    streams.clear();
  }

  private synchronized void open(StreamObserver<ListAndWatchResponse> stream) {
    streams.add(stream);
    list.ifPresent(stream::onNext);
  }

  private synchronized void drop(StreamObserver<ListAndWatchResponse> stream) {
    streams.remove(stream);
  }

  /// Refuses GetDevicePluginOptions from now on.
  public void refuseOptions(Status status) {
    optionsRefusal = Optional.of(status);
  }

  /// Answers Allocate so from now on. Without it a container gets `/dev/<id>` for each device and
  /// their ids, with commas between, in `DEVICES`.
  public void onAllocate(Answer<AllocateRequest, AllocateResponse> answer) {
    allocate = answer;
  }

  /// Answers GetPreferredAllocation so from now on. Without it the first ones are preferred.
  public void onPrefer(Answer<PreferredAllocationRequest, PreferredAllocationResponse> answer) {
    prefer = answer;
  }

  /// Answers PreStartContainer so from now on. Without it all is well.
  public void onPreStart(Answer<PreStartContainerRequest, PreStartContainerResponse> answer) {
    preStart = answer;
  }

  /// Waits until this plugin is closed, so that no answer comes before: `throw plugin.never()`.
  public StatusException never() throws InterruptedException {
    closed.await();
    return Status.UNAVAILABLE.withDescription("the plugin has ended").asException();
  }

  /// The calls in the order of their arrival, with the ids that they name, sorted: `Allocate a b`.
  public List<String> calls() {
    return calls;
  }

  /// The calls of one method: `Allocate`.
  public List<String> calls(String method) {
    return calls.stream().filter(call -> call.startsWith(method)).toList();
  }

  /// An answer to Allocate that gives the devices, as the usual one does.
  public static AllocateResponse grant(AllocateRequest request) {
    var response = AllocateResponse.newBuilder();
    for (var container : request.getContainerRequestsList()) {
      List<String> ids = container.getDevicesIdsList().stream().sorted().toList();
      var granted =
          ContainerAllocateResponse.newBuilder().putEnvs("DEVICES", String.join(",", ids));
      for (String id : ids)
        granted.addDevices(
            DeviceSpec.newBuilder()
                .setHostPath("/dev/" + id)
                .setContainerPath("/dev/" + id)
                .setPermissions("rw"));
      response.addContainerResponses(granted);
    }
    return response.build();
  }

  private static PreferredAllocationResponse firstOnes(PreferredAllocationRequest request) {
    var container = request.getContainerRequests(0);
    List<String> ids = container.getAvailableDeviceIDsList().stream().sorted().toList();
    return preference(ids.subList(0, container.getAllocationSize()).toArray(String[]::new));
  }

  /// An answer to GetPreferredAllocation that names these ids.
  public static PreferredAllocationResponse preference(String... ids) {
    return PreferredAllocationResponse.newBuilder()
        .addContainerResponses(
            ContainerPreferredAllocationResponse.newBuilder().addAllDeviceIDs(List.of(ids)))
        .build();
  }

  /// Ends as a process does: connections break; the socket is removed. May be called twice.
  @Override
  public void close() {
    closed.countDown();
    transport.close();
  }

  private static String words(String method, Iterable<String> ids) {
    List<String> words = new ArrayList<>();
    ids.forEach(words::add);
    words.sort(null);
    words.addFirst(method);
    return String.join(" ", words);
  }

  private final class OfferService
      extends dev.patchbay.proto.pluginregistration.RegistrationGrpc.RegistrationImplBase {
    private final PluginInfo info;

    OfferService(PluginInfo info) {
      this.info = info;
    }

    @Override
    public void getInfo(InfoRequest request, StreamObserver<PluginInfo> answer) {
      answer.onNext(info);
      answer.onCompleted();
    }

    @Override
    public void notifyRegistrationStatus(
        RegistrationStatus status, StreamObserver<RegistrationStatusResponse> answer) {
      told.add(status.getPluginRegistered() ? "registered" : status.getError());
      answer.onNext(RegistrationStatusResponse.getDefaultInstance());
      answer.onCompleted();
    }
  }

  private final class Service extends DevicePluginGrpc.DevicePluginImplBase {
    @Override
    public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> answer) {
      calls.add("GetDevicePluginOptions");
      if (optionsRefusal.isPresent()) {
        answer.onError(optionsRefusal.get().asException());
        return;
      }
      answer.onNext(options);
      answer.onCompleted();
    }

    @Override
    public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> answer) {
      calls.add("ListAndWatch");
      // Also the handler without which a list that comes too late would be an exception.
      ((ServerCallStreamObserver<ListAndWatchResponse>) answer)
          .setOnCancelHandler(() -> drop(answer));
      open(answer);
    }

    @Override
    public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> answer) {
      List<String> ids = new ArrayList<>();
      request.getContainerRequestsList().forEach(each -> ids.addAll(each.getDevicesIdsList()));
      calls.add(words("Allocate", ids));
      reply(answer, () -> allocate.to(request));
    }

    @Override
    public void getPreferredAllocation(
        PreferredAllocationRequest request, StreamObserver<PreferredAllocationResponse> answer) {
      var container = request.getContainerRequests(0);
      calls.add(
          words(
              "GetPreferredAllocation " + container.getAllocationSize() + " of",
              container.getAvailableDeviceIDsList()));
      reply(answer, () -> prefer.to(request));
    }

    @Override
    public void preStartContainer(
        PreStartContainerRequest request, StreamObserver<PreStartContainerResponse> answer) {
      calls.add(words("PreStartContainer", request.getDevicesIdsList()));
      reply(answer, () -> preStart.to(request));
    }

    private <T> void reply(StreamObserver<T> observer, Callable<T> answer) {
      T message;
      try {
        message = answer.call();
      } catch (StatusException e) {
        observer.onError(e);
        return;
      } catch (Exception e) {
        if (e instanceof InterruptedException) Thread.currentThread().interrupt();
        observer.onError(
            Status.UNKNOWN.withDescription(String.valueOf(e.getMessage())).asException());
        return;
      }
      observer.onNext(message);
      observer.onCompleted();
    }
  }
}
