package dev.patchbay.kubelet;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.deviceplugin.v1beta1.RegisterRequest;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixChannel;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/// A plugin whose messages are any bytes at all.
final class RawPlugin implements AutoCloseable {
  private static final byte[] EMPTY = {};

  private final Path directory;
  private final Transport transport = Transport.open();
  private final CompletableFuture<StreamObserver<byte[]>> lists = new CompletableFuture<>();

  /// What it answers to Allocate.
  volatile byte[] allocation = EMPTY;

  /// What it was told with NotifyRegistrationStatus.
  final List<byte[]> statuses = new CopyOnWriteArrayList<>();

  RawPlugin(Path directory) {
    this.directory = directory;
  }

  /// Serves an endpoint; its lists are those of [#list].
  RawPlugin serve(String endpoint) {
    return serve(
        endpoint,
        ServerServiceDefinition.builder("v1beta1.DevicePlugin")
            .addMethod(
                method("v1beta1.DevicePlugin/GetDevicePluginOptions", MethodType.UNARY),
                ServerCalls.asyncUnaryCall((_, answer) -> answer(answer, EMPTY)))
            .addMethod(
                method("v1beta1.DevicePlugin/ListAndWatch", MethodType.SERVER_STREAMING),
                ServerCalls.asyncServerStreamingCall((_, answer) -> lists.complete(answer)))
            .addMethod(
                method("v1beta1.DevicePlugin/Allocate", MethodType.UNARY),
                ServerCalls.asyncUnaryCall((_, answer) -> answer(answer, allocation)))
            .build());
  }

  /// Serves a socket of the registry that says this when it is asked who it is.
  RawPlugin serveRegistry(String socket, byte[] info) {
    return serve(
        socket,
        ServerServiceDefinition.builder("pluginregistration.Registration")
            .addMethod(
                method("pluginregistration.Registration/GetInfo", MethodType.UNARY),
                ServerCalls.asyncUnaryCall((_, answer) -> answer(answer, info)))
            .addMethod(
                method(
                    "pluginregistration.Registration/NotifyRegistrationStatus", MethodType.UNARY),
                ServerCalls.asyncUnaryCall((told, answer) -> {
                  statuses.add(told);
                  answer(answer, EMPTY);
                }))
            .build());
  }

  private RawPlugin serve(String socket, ServerServiceDefinition service) {
    try {
      BindableService served = () -> service;
      transport.serve(directory.resolve(socket), List.of(served));
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void answer(StreamObserver<byte[]> observer, byte[] message) {
    observer.onNext(message);
    observer.onCompleted();
  }

  /// Sends a list once the kubelet reads it.
  void list(byte[] message) {
    lists.join().onNext(message);
  }

  /// Serves `raw.sock` and registers it, which the kubelet accepts.
  void serveAs(ResourceName resource) {
    serve("raw.sock");
    assertThat(
            register(
                RegisterRequest.newBuilder()
                    .setVersion("v1beta1")
                    .setEndpoint("raw.sock")
                    .setResourceName(resource.toString())
                    .build()
                    .toByteArray()))
        .isEmpty();
  }

  /// Calls Register.
  ///
  /// @return the kubelet's error, or empty when it accepted
  Optional<Status> register(byte[] request) {
    try (UnixChannel channel = transport.connect(directory.resolve("kubelet.sock"))) {
      var _ =
          ClientCalls.blockingUnaryCall(
              channel.grpc(),
              method("v1beta1.Registration/Register", MethodType.UNARY),
              CallOptions.DEFAULT.withDeadlineAfter(20, SECONDS),
              request);
      return Optional.empty();
    } catch (StatusRuntimeException e) {
      return Optional.of(e.getStatus());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static MethodDescriptor<byte[], byte[]> method(String name, MethodType type) {
    return MethodDescriptor.newBuilder(RawBytes.MARSHALLER, RawBytes.MARSHALLER)
        .setType(type)
        .setFullMethodName(name)
        .build();
  }

  @Override
  public void close() {
    transport.close();
  }
}
