package dev.patchbay.sdk;

import dev.patchbay.proto.deviceplugin.v1alpha.AllocateRequest;
import dev.patchbay.proto.deviceplugin.v1alpha.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1alpha.DevicePluginGrpc;
import dev.patchbay.proto.deviceplugin.v1alpha.Empty;
import dev.patchbay.proto.deviceplugin.v1alpha.ListAndWatchResponse;
import dev.patchbay.proto.deviceplugin.v1alpha.RegisterRequest;
import dev.patchbay.proto.deviceplugin.v1alpha.RegistrationGrpc;
import dev.patchbay.proto.deviceplugin.v1alpha.RuntimeSpecsResponse;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixChannel;
import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// A kubelet of 1.8 (version `0.1`) or 1.9 (`v1alpha2`): it serves the old Registration alone,
/// refuses each version but its own, and answers before it connects back.
final class OldKubelet implements AutoCloseable {
  private final Path directory;
  private final String version;
  private final Transport transport = Transport.open();
  private final List<RegisterRequest> registrations = new CopyOnWriteArrayList<>();
  private final List<String> refused = new CopyOnWriteArrayList<>();
  private final List<List<String>> lists = new CopyOnWriteArrayList<>();
  private final List<UnixChannel> channels = new CopyOnWriteArrayList<>();

  private OldKubelet(Path directory, String version) {
    this.directory = directory;
    this.version = version;
  }

  static OldKubelet start(Path kubeletDir, String version) throws IOException {
    var kubelet =
        new OldKubelet(Files.createDirectories(kubeletDir.resolve("device-plugins")), version);
    kubelet.transport.serve(
        kubelet.directory.resolve("kubelet.sock"), List.of(kubelet.new Service()));
    return kubelet;
  }

  /// What was accepted.
  List<RegisterRequest> registrations() {
    return registrations;
  }

  /// Versions that were refused.
  List<String> refused() {
    return refused;
  }

  /// The lists that arrived, each as `id=health`.
  List<List<String>> lists() {
    return lists;
  }

  /// Allocate as 1.9 asks.
  AllocateResponse allocate(String... ids) {
    return DevicePluginGrpc.newBlockingStub(channels.getLast().grpc()).allocate(request(ids));
  }

  /// Allocate as 1.8 asks.
  RuntimeSpecsResponse allocateSpecs(String... ids) {
    return ClientCalls.blockingUnaryCall(
        channels.getLast().grpc(),
        DevicePluginGrpc.getAllocateMethod().toBuilder(
                ProtoUtils.marshaller(AllocateRequest.getDefaultInstance()),
                ProtoUtils.marshaller(RuntimeSpecsResponse.getDefaultInstance()))
            .build(),
        CallOptions.DEFAULT,
        request(ids));
  }

  private static AllocateRequest request(String... ids) {
    return AllocateRequest.newBuilder().addAllDevicesIDs(List.of(ids)).build();
  }

  @Override
  public void close() {
    transport.close();
  }

  private final class Service extends RegistrationGrpc.RegistrationImplBase {
    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> answer) {
      if (!request.getVersion().equals(version)) {
        refused.add(request.getVersion());
        answer.onError(
            Status.UNKNOWN
                .withDescription(
                    "requested API version \"%s\" is not supported by kubelet. Supported version is \"%s\""
                        .formatted(request.getVersion(), version))
                .asException());
        return;
      }
      registrations.add(request);
      answer.onNext(Empty.getDefaultInstance());
      answer.onCompleted();
      read(request.getEndpoint());
    }

    private void read(String endpoint) {
      try {
        UnixChannel channel = transport.connect(directory.resolve(endpoint));
        channels.add(channel);
        Context.ROOT.run(() ->
            DevicePluginGrpc.newStub(channel.grpc())
                .listAndWatch(Empty.getDefaultInstance(), new Reader()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private final class Reader implements StreamObserver<ListAndWatchResponse> {
    @Override
    public void onNext(ListAndWatchResponse message) {
      lists.add(
          message.getDevicesList().stream()
              .map(each -> each.getID() + "=" + each.getHealth())
              .toList());
    }

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onCompleted() {}
  }
}
