package dev.patchbay.sdk;

import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.pluginregistration.InfoRequest;
import dev.patchbay.proto.pluginregistration.PluginInfo;
import dev.patchbay.proto.pluginregistration.RegistrationGrpc;
import dev.patchbay.proto.pluginregistration.RegistrationStatus;
import dev.patchbay.proto.pluginregistration.RegistrationStatusResponse;
import dev.patchbay.rpc.Transport;
import dev.patchbay.sdk.wire.Messages;
import dev.patchbay.watch.FileIdentity;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Registers through `plugins_registry`: a socket lies there, and the kubelet's plugin watcher
/// comes and asks.
///
/// The watcher looks once a second, tries a socket again by itself as long as it never answered,
/// but kubelets before 1.36 leave one alone that was refused once, and none comes back when only
/// the list's stream broke. A socket that is made anew is asked anew; so that is the way to try
/// again.
final class RegistryRegistration extends Registration {
  private final Transport transport;
  private final PluginHostConfig config;
  private final ResourceName resource;
  private final DevicePlugin plugin;
  private final SocketNames names;
  private final Path directory;
  private final AtomicReference<@Nullable RegistrationStatus> told = new AtomicReference<>();
  private boolean wasListed;
  private long silentSince;

  RegistryRegistration(
      Transport transport,
      PluginHostConfig config,
      ResourceName resource,
      DevicePlugin plugin,
      Consumer<PluginState> onState,
      RandomGenerator random) {
    super(onState, new Backoff(config.firstRetry(), config.longestRetry(), random));
    this.transport = transport;
    this.config = config;
    this.resource = resource;
    this.plugin = plugin;
    names = new SocketNames(resource, random);
    directory = config.pluginsRegistryDir();
  }

  @Override
  void prepare() {}

  @Override
  boolean isConcerned(Optional<FileIdentity> kubeletSocket, boolean thoroughly) {
    return endpoint().isEmpty() || hasLostItsSocket(thoroughly);
  }

  @Override
  void step() throws InterruptedException {
    if (!Files.isDirectory(directory)) {
      dropEndpoint();
      state(new PluginState.WaitingForKubelet("there is no directory " + directory));
      await(UNTIL_WOKEN);
    } else if (endpoint().filter(Endpoint::isReachable).isEmpty()) {
      if (untilNextAttempt().isZero()) open();
      else await(untilNextAttempt());
    } else if (endpoint().filter(Endpoint::isListed).isPresent()) {
      wasListed = true;
      silentSince = System.nanoTime();
      succeeded();
      state(new PluginState.Listed());
      await(UNTIL_WOKEN);
    } else {
      awaitKubelet();
    }
  }

  private void open() {
    dropEndpoint();
    told.set(null);
    wasListed = false;
    silentSince = System.nanoTime();
    Path socket = directory.resolve(names.next());
    try {
      replaceEndpoint(
          Endpoint.open(
              transport, socket, resource, plugin, this::wake, new WatcherService(socket)));
      state(new PluginState.WaitingForKubelet("no kubelet has asked on " + socket));
    } catch (IOException e) {
      failed(String.valueOf(e.getMessage()));
    }
  }

  /// The socket is there but nobody lists: refused, promised and not kept, lost, or not asked yet.
  private void awaitKubelet() throws InterruptedException {
    Optional<RegistrationStatus> answer = Optional.ofNullable(told.get());
    if (answer.isPresent() && !answer.get().getPluginRegistered()) {
      dropEndpoint();
      failed("the kubelet refused the registration: " + answer.get().getError());
      return;
    }
    if (answer.isEmpty() && !wasListed) {
      await(UNTIL_WOKEN);
      return;
    }
    if (!wasListed) state(new PluginState.Registered());
    Duration left = config.listTimeout().minusNanos(System.nanoTime() - silentSince);
    if (left.isPositive()) {
      await(left);
      return;
    }
    dropEndpoint();
    failed("the kubelet did not open ListAndWatch within " + config.listTimeout());
  }

  /// Answers the plugin watcher.
  private final class WatcherService extends RegistrationGrpc.RegistrationImplBase {
    private final Path socket;

    WatcherService(Path socket) {
      this.socket = socket;
    }

    @Override
    public void getInfo(InfoRequest request, StreamObserver<PluginInfo> answer) {
      answer.onNext(
          PluginInfo.newBuilder()
              .setType("DevicePlugin")
              .setName(resource.toString())
              .setEndpoint(socket.toAbsolutePath().toString())
              .addSupportedVersions(Messages.API_VERSION)
              .build());
      answer.onCompleted();
    }

    @Override
    public void notifyRegistrationStatus(
        RegistrationStatus status, StreamObserver<RegistrationStatusResponse> answer) {
      told.set(status);
      answer.onNext(RegistrationStatusResponse.getDefaultInstance());
      answer.onCompleted();
      wake();
    }
  }
}
