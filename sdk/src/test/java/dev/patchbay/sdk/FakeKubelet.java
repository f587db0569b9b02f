package dev.patchbay.sdk;

import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginGrpc;
import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.RegisterRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.RegistrationGrpc;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixChannel;
import dev.patchbay.rpc.UnixServer;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/// A kubelet whose answers are scripted and which remembers what it received. Not thread-safe as to
/// the script: write it before the plugins come.
final class FakeKubelet implements AutoCloseable {
  /// What is done with one Register call.
  enum Answer {
    ACCEPT_AND_LIST,
    ACCEPT_AND_LIST_TWICE,
    ACCEPT_ONLY,
    REFUSE,
    NEVER_ANSWER
  }

  private final Path directory;
  private final Transport transport = Transport.open();
  private final Deque<Answer> script = new ArrayDeque<>();
  private final List<RegisterRequest> registrations = new CopyOnWriteArrayList<>();
  private final List<Listed> lists = new CopyOnWriteArrayList<>();
  private final List<UnixChannel> channels = new CopyOnWriteArrayList<>();
  private volatile Answer otherwise = Answer.ACCEPT_AND_LIST;
  private Optional<UnixServer> server = Optional.empty();

  /// A list that arrived on one stream.
  record Listed(String resource, int stream, List<Device> devices) {}

  FakeKubelet(Path directory) {
    this.directory = directory;
  }

  /// What is done with the next calls, one each; then the last.
  FakeKubelet script(Answer... answers) {
    script.addAll(List.of(answers).subList(0, answers.length - 1));
    otherwise = answers[answers.length - 1];
    return this;
  }

  /// Starts as a kubelet does: removes the sockets, listens.
  FakeKubelet start() throws IOException {
    Files.createDirectories(directory);
    removeSockets();
    server =
        Optional.of(
            transport.serve(directory.resolve("kubelet.sock"), List.of(new Registration())));
    return this;
  }

  private void removeSockets() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".sock")).toList())
        Files.deleteIfExists(file);
    }
  }

  /// Ends all connections and stops listening.
  void stop() {
    channels.forEach(UnixChannel::close);
    channels.clear();
    server.ifPresent(UnixServer::close);
  }

  /// Stops, and leaves `kubelet.sock` behind as a killed kubelet does.
  void crash() throws IOException {
    Path left = directory.resolve("left");
    Files.move(directory.resolve("kubelet.sock"), left);
    stop();
    Files.move(left, directory.resolve("kubelet.sock"));
  }

  List<RegisterRequest> registrations() {
    return registrations;
  }

  List<RegisterRequest> registrations(String resource) {
    return registrations.stream().filter(each -> each.getResourceName().equals(resource)).toList();
  }

  List<Listed> lists(String resource) {
    return lists.stream().filter(each -> each.resource().equals(resource)).toList();
  }

  /// The ids and healths of the newest list of a resource, `a=Healthy`.
  List<String> newest(String resource) {
    List<Listed> all = lists(resource);
    return all.isEmpty()
        ? List.of()
        : all.getLast().devices().stream()
            .map(each -> each.getID() + "=" + each.getHealth())
            .toList();
  }

  /// A stub of the plugin that registered last for this resource.
  DevicePluginGrpc.DevicePluginBlockingStub plugin(String resource) throws IOException {
    return DevicePluginGrpc.newBlockingStub(
        connect(registrations(resource).getLast().getEndpoint()).grpc());
  }

  private UnixChannel connect(String endpoint) throws IOException {
    UnixChannel channel = transport.connect(directory.resolve(endpoint));
    channels.add(channel);
    return channel;
  }

  @Override
  public void close() {
    stop();
    transport.close();
  }

  private final class Registration extends RegistrationGrpc.RegistrationImplBase {
    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> observer) {
      registrations.add(request);
      Answer answer;
      synchronized (script) {
        answer = script.isEmpty() ? otherwise : script.remove();
      }
      switch (answer) {
        case ACCEPT_AND_LIST -> {
          list(request, 1);
          accept(observer);
        }
        case ACCEPT_AND_LIST_TWICE -> {
          list(request, 1);
          list(request, 2);
          accept(observer);
        }
        case ACCEPT_ONLY -> accept(observer);
        case REFUSE ->
            observer.onError(Status.UNKNOWN.withDescription("the script refuses").asException());
        case NEVER_ANSWER -> {}
      }
    }

    private void accept(StreamObserver<Empty> observer) {
      observer.onNext(Empty.getDefaultInstance());
      observer.onCompleted();
    }

    private void list(RegisterRequest request, int stream) {
      try {
        var plugin = DevicePluginGrpc.newStub(connect(request.getEndpoint()).grpc());
        // A call made inside a call would end with it.
        Context.ROOT.run(() ->
            plugin.listAndWatch(
                Empty.getDefaultInstance(), new Reader(request.getResourceName(), stream)));
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  private final class Reader implements StreamObserver<ListAndWatchResponse> {
    private final String resource;
    private final int stream;

    Reader(String resource, int stream) {
      this.resource = resource;
      this.stream = stream;
    }

    @Override
    public void onNext(ListAndWatchResponse message) {
      lists.add(new Listed(resource, stream, new ArrayList<>(message.getDevicesList())));
    }

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onCompleted() {}
  }
}
