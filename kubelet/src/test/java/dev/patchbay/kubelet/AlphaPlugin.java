package dev.patchbay.kubelet;

import dev.patchbay.proto.deviceplugin.v1alpha.AllocateRequest;
import dev.patchbay.proto.deviceplugin.v1alpha.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1alpha.Device;
import dev.patchbay.proto.deviceplugin.v1alpha.DevicePluginGrpc;
import dev.patchbay.proto.deviceplugin.v1alpha.DeviceSpec;
import dev.patchbay.proto.deviceplugin.v1alpha.Empty;
import dev.patchbay.proto.deviceplugin.v1alpha.ListAndWatchResponse;
import dev.patchbay.proto.deviceplugin.v1alpha.Mount;
import dev.patchbay.proto.deviceplugin.v1alpha.RegisterRequest;
import dev.patchbay.proto.deviceplugin.v1alpha.RegistrationGrpc;
import dev.patchbay.proto.deviceplugin.v1alpha.RuntimeSpec;
import dev.patchbay.proto.deviceplugin.v1alpha.RuntimeSpecsResponse;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixChannel;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/// A plugin as they were written for Kubernetes 1.8 (version `0.1`) or 1.9 (`v1alpha2`). Each of
/// its devices is a node, and one variable and one mount go with each container.
final class AlphaPlugin implements AutoCloseable {
  private static final MethodDescriptor<AllocateRequest, RuntimeSpecsResponse> ALLOCATE_OF_0_1 =
      DevicePluginGrpc.getAllocateMethod().toBuilder(
              ProtoUtils.marshaller(AllocateRequest.getDefaultInstance()),
              ProtoUtils.marshaller(RuntimeSpecsResponse.getDefaultInstance()))
          .build();

  private final Transport transport = Transport.open();
  private final Path directory;
  private final String version;
  private final List<Device> devices;
  private final List<String> calls = new CopyOnWriteArrayList<>();

  private AlphaPlugin(Path directory, String version, List<Device> devices) {
    this.directory = directory;
    this.version = version;
    this.devices = devices;
  }

  /// Serves devices, given as `id=health`, on a socket named `alpha.sock`.
  static AlphaPlugin serve(Path directory, String version, String... devices) throws IOException {
    var plugin =
        new AlphaPlugin(
            directory,
            version,
            List.of(devices).stream()
                .map(each -> each.split("=", -1))
                .map(each -> Device.newBuilder().setID(each[0]).setHealth(each[1]).build())
                .toList());
    plugin.transport.serve(directory.resolve("alpha.sock"), List.of(plugin::service));
    return plugin;
  }

  private ServerServiceDefinition service() {
    var service =
        ServerServiceDefinition.builder(DevicePluginGrpc.SERVICE_NAME)
            .addMethod(
                DevicePluginGrpc.getListAndWatchMethod(),
                ServerCalls.<Empty, ListAndWatchResponse>asyncServerStreamingCall(
                    (_, answer) -> list(answer)));
    return (version.equals("0.1")
            ? service.addMethod(
                ALLOCATE_OF_0_1,
                ServerCalls.asyncUnaryCall((request, answer) -> {
                  answer.onNext(specs(request));
                  answer.onCompleted();
                }))
            : service.addMethod(
                DevicePluginGrpc.getAllocateMethod(),
                ServerCalls.asyncUnaryCall((request, answer) -> {
                  answer.onNext(flat(request));
                  answer.onCompleted();
                })))
        .build();
  }

  private void list(StreamObserver<ListAndWatchResponse> answer) {
    calls.add("ListAndWatch");
    answer.onNext(ListAndWatchResponse.newBuilder().addAllDevices(devices).build());
  }

  private RuntimeSpecsResponse specs(AllocateRequest request) {
    calls.add("Allocate " + request.getDevicesIDsList());
    var answer = RuntimeSpecsResponse.newBuilder();
    for (String id : request.getDevicesIDsList())
      answer.addSpec(
          RuntimeSpec.newBuilder()
              .putEnvs("DEVICE_" + id, id)
              .addDevices(node(id))
              .addMounts(MOUNT));
    return answer.build();
  }

  private AllocateResponse flat(AllocateRequest request) {
    calls.add("Allocate " + request.getDevicesIDsList());
    var answer = AllocateResponse.newBuilder().addMounts(MOUNT).putAnnotations("note", "yes");
    for (String id : request.getDevicesIDsList())
      answer.putEnvs("DEVICE_" + id, id).addDevices(node(id));
    return answer.build();
  }

  private static final Mount MOUNT =
      Mount.newBuilder()
          .setHostPath("/opt/lib")
          .setContainerPath("/lib/x")
          .setReadOnly(true)
          .build();

  private static DeviceSpec node(String id) {
    return DeviceSpec.newBuilder()
        .setHostPath("/dev/" + id)
        .setContainerPath("/dev/" + id)
        .setPermissions("rw")
        .build();
  }

  /// The text of the refusal; empty when it was accepted.
  Optional<String> register(String resource) throws IOException {
    try (UnixChannel channel = transport.connect(directory.resolve("kubelet.sock"))) {
      var _ =
          RegistrationGrpc.newBlockingStub(channel.grpc())
              .register(
                  RegisterRequest.newBuilder()
                      .setVersion(version)
                      .setResourceName(resource)
                      .setEndpoint("alpha.sock")
                      .build());
      return Optional.empty();
    } catch (StatusRuntimeException e) {
      return Optional.of(e.getStatus().getCode() + ": " + e.getStatus().getDescription());
    }
  }

  /// What it was asked, `Allocate [a, b]`.
  List<String> calls() {
    return calls;
  }

  @Override
  public void close() {
    transport.close();
  }
}
