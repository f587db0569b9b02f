package dev.patchbay.kubelet.pluginwatcher;

import dev.patchbay.kubelet.wire.Excerpt;
import dev.patchbay.kubelet.wire.GoStatus;
import dev.patchbay.proto.pluginregistration.InfoRequest;
import dev.patchbay.proto.pluginregistration.PluginInfo;
import dev.patchbay.proto.pluginregistration.RegistrationGrpc;
import dev.patchbay.proto.pluginregistration.RegistrationStatus;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The registration of the plugin behind one socket: who are you, may you, come in, you are in.
final class PluginRegistration {
  private static final String FAILED = "RegisterPlugin error -- ";

  private final Transport transport;
  private final PluginWatcherConfig config;
  private final Map<String, PluginHandler> handlers;
  private final Path socket;

  PluginRegistration(
      Transport transport,
      PluginWatcherConfig config,
      Map<String, PluginHandler> handlers,
      Path socket) {
    this.transport = transport;
    this.config = config;
    this.handlers = handlers;
    this.socket = socket;
  }

  /// Who is told how far it came, so that the removal of the socket meanwhile is not missed.
  interface Progress {
    /// The handler is about to get the plugin.
    void beginning(PluginHandler handler, String name, Path endpoint);

    /// The handler does not have it after all.
    void undone();
  }

  /// Registers the plugin and tells it so.
  ///
  /// @throws IOException why it is not registered; the plugin was told, if it could be
  void run(Progress progress) throws IOException, InterruptedException {
    try (UnixChannel channel = transport.connect(socket)) {
      try {
        channel.awaitListener(config.dialTimeout());
      } catch (IOException e) {
        throw new IOException(
            FAILED + "dial failed at socket " + socket + ", err: " + e.getMessage(), e);
      }
      var plugin = RegistrationGrpc.newBlockingStub(channel.grpc());
      PluginInfo info = info(plugin);
      PluginHandler handler = handlers.get(info.getType());
      if (handler == null)
        throw refusal(
            plugin,
            "no handler registered for plugin type: %s at socket %s"
                .formatted(info.getType(), socket));
      Path endpoint = validated(plugin, handler, info);
      progress.beginning(handler, info.getName(), endpoint);
      try {
        handler.register(info.getName(), endpoint, info.getSupportedVersionsList());
      } catch (IOException e) {
        progress.undone();
        throw refusal(plugin, "plugin registration failed with err: " + e.getMessage());
      }
      try {
        tell(plugin, true, "");
      } catch (StatusRuntimeException e) {
        progress.undone();
        handler.deregister(info.getName(), endpoint);
        throw new IOException(
            FAILED
                + "failed to send registration status at socket "
                + socket
                + ", err: "
                + GoStatus.text(e),
            e);
      }
    }
  }

  private PluginInfo info(RegistrationGrpc.RegistrationBlockingStub plugin) throws IOException {
    try {
      return plugin
          .withDeadlineAfter(config.infoTimeout().toNanos(), TimeUnit.NANOSECONDS)
          .getInfo(InfoRequest.getDefaultInstance());
    } catch (StatusRuntimeException e) {
      throw new IOException(
          FAILED
              + "failed to get plugin info using RPC GetInfo at socket "
              + socket
              + ", err: "
              + GoStatus.text(e),
          e);
    }
  }

  private Path validated(
      RegistrationGrpc.RegistrationBlockingStub plugin, PluginHandler handler, PluginInfo info)
      throws IOException {
    try {
      Path endpoint = info.getEndpoint().isEmpty() ? socket : Path.of(info.getEndpoint());
      handler.validate(info.getName(), endpoint, info.getSupportedVersionsList());
      return endpoint;
    } catch (IOException | InvalidPathException e) {
      throw refusal(plugin, "plugin validation failed with err: " + e.getMessage());
    }
  }

  /// Tells the plugin why not.
  private IOException refusal(RegistrationGrpc.RegistrationBlockingStub plugin, String why) {
    String text = FAILED + Excerpt.of(why);
    var refusal = new IOException(text);
    try {
      tell(plugin, false, text);
    } catch (StatusRuntimeException e) {
      refusal.addSuppressed(e);
    }
    return refusal;
  }

  private void tell(
      RegistrationGrpc.RegistrationBlockingStub plugin, boolean registered, String error) {
    var status =
        RegistrationStatus.newBuilder().setPluginRegistered(registered).setError(error).build();
    var _ =
        plugin
            .withDeadlineAfter(config.notifyTimeout().toNanos(), TimeUnit.NANOSECONDS)
            .notifyRegistrationStatus(status);
  }
}
