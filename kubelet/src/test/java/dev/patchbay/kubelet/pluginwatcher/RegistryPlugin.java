package dev.patchbay.kubelet.pluginwatcher;

import dev.patchbay.proto.pluginregistration.InfoRequest;
import dev.patchbay.proto.pluginregistration.PluginInfo;
import dev.patchbay.proto.pluginregistration.RegistrationGrpc;
import dev.patchbay.proto.pluginregistration.RegistrationStatus;
import dev.patchbay.proto.pluginregistration.RegistrationStatusResponse;
import dev.patchbay.rpc.Transport;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/// A socket in a registry whose answers a test scripts.
final class RegistryPlugin implements AutoCloseable {
  private final Transport transport = Transport.open();
  private final AtomicInteger asked = new AtomicInteger();
  private final List<String> told = new CopyOnWriteArrayList<>();
  private volatile PluginInfo info = PluginInfo.getDefaultInstance();
  private volatile boolean silent;
  private volatile Optional<Status> notifyRefusal = Optional.empty();

  /// Serves a plugin that says this about itself.
  static RegistryPlugin serve(Path socket, PluginInfo info) throws IOException {
    var plugin = new RegistryPlugin();
    plugin.info = info;
    plugin.transport.serve(socket, List.of(plugin.new Service()));
    return plugin;
  }

  /// Never answers GetInfo from now on.
  RegistryPlugin silent() {
    silent = true;
    return this;
  }

  void answersAgain() {
    silent = false;
  }

  /// Refuses NotifyRegistrationStatus from now on.
  RegistryPlugin refusingNotice(Status status) {
    notifyRefusal = Optional.of(status);
    return this;
  }

  /// How often it was asked who it is.
  int asked() {
    return asked.get();
  }

  /// What it was told: `registered`, or the error.
  List<String> told() {
    return told;
  }

  /// Ends; the socket is removed.
  @Override
  public void close() {
    transport.close();
  }

  private final class Service extends RegistrationGrpc.RegistrationImplBase {
    @Override
    public void getInfo(InfoRequest request, StreamObserver<PluginInfo> answer) {
      asked.incrementAndGet();
      if (silent) return;
      answer.onNext(info);
      answer.onCompleted();
    }

    @Override
    public void notifyRegistrationStatus(
        RegistrationStatus status, StreamObserver<RegistrationStatusResponse> answer) {
      told.add(status.getPluginRegistered() ? "registered" : status.getError());
      if (notifyRefusal.isPresent()) {
        answer.onError(notifyRefusal.get().asException());
        return;
      }
      answer.onNext(RegistrationStatusResponse.getDefaultInstance());
      answer.onCompleted();
    }
  }
}
