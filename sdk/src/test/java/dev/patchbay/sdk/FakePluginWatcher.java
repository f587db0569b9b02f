package dev.patchbay.sdk;

import static org.awaitility.Awaitility.await;

import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginGrpc;
import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import dev.patchbay.proto.pluginregistration.InfoRequest;
import dev.patchbay.proto.pluginregistration.PluginInfo;
import dev.patchbay.proto.pluginregistration.RegistrationGrpc;
import dev.patchbay.proto.pluginregistration.RegistrationStatus;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixChannel;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/// The kubelet's plugin watcher, each of whose steps the test does by hand.
final class FakePluginWatcher implements AutoCloseable {
  private final Path directory;
  private final Transport transport = Transport.open();
  private final List<UnixChannel> lists = new CopyOnWriteArrayList<>();

  FakePluginWatcher(Path directory) {
    this.directory = directory;
  }

  /// Waits for a socket other than these.
  Path awaitSocket(Set<Path> known) {
    return await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> otherThan(known), Optional::isPresent)
        .orElseThrow();
  }

  private Optional<Path> otherThan(Set<Path> known) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.toString().endsWith(".sock") && !known.contains(file))
          .findFirst();
    }
  }

  PluginInfo info(Path socket) throws IOException {
    try (UnixChannel channel = transport.connect(socket)) {
      return RegistrationGrpc.newBlockingStub(channel.grpc())
          .getInfo(InfoRequest.getDefaultInstance());
    }
  }

  void tell(Path socket, boolean registered, String error) throws IOException {
    try (UnixChannel channel = transport.connect(socket)) {
      var status =
          RegistrationStatus.newBuilder().setPluginRegistered(registered).setError(error).build();
      var _ = RegistrationGrpc.newBlockingStub(channel.grpc()).notifyRegistrationStatus(status);
    }
  }

  void list(Path socket) throws IOException {
    UnixChannel channel = transport.connect(socket);
    lists.add(channel);
    DevicePluginGrpc.newStub(channel.grpc())
        .listAndWatch(Empty.getDefaultInstance(), new Ignoring());
  }

  void endLists() {
    lists.forEach(UnixChannel::close);
    lists.clear();
  }

  @Override
  public void close() {
    endLists();
    transport.close();
  }

  private static final class Ignoring implements StreamObserver<ListAndWatchResponse> {
    @Override
    public void onNext(ListAndWatchResponse message) {}

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onCompleted() {}
  }
}
