package dev.patchbay.sdk;

import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.RegistrationGrpc;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixChannel;
import dev.patchbay.sdk.wire.AlphaMessages;
import dev.patchbay.sdk.wire.Messages;
import dev.patchbay.watch.FileIdentity;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/// Registers through `device-plugins/kubelet.sock`.
///
/// A kubelet that starts removes all sockets of the directory and makes a new `kubelet.sock`; one
/// that dies leaves its own. So a plugin is registered as long as `kubelet.sock` is the file that
/// took its registration (inode and change time), its own socket file is still there, and the
/// kubelet reads its list. When one of these ends, it registers anew, on a socket with a new name:
/// a kubelet may still mean an old registration by the old name.
final class SocketRegistration extends Registration {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.sdk");
  private static final Duration PROBE = Duration.ofMillis(500);

  private final Transport transport;
  private final PluginHostConfig config;
  private final ResourceName resource;
  private final DevicePlugin plugin;
  private final SocketNames names;
  private final Path directory;
  private final Path kubeletSocket;
  private volatile Optional<FileIdentity> tried = Optional.empty();
  private Optional<FileIdentity> registeredWith = Optional.empty();

  SocketRegistration(
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
    directory = config.devicePluginDir();
    kubeletSocket = config.kubeletSocket();
  }

  /// Removes sockets that an earlier process of this resource left behind and on which nobody
  /// listens.
  @Override
  void prepare() throws InterruptedException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(names::isOurs).toList())
        if (isDead(file)) Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.DEBUG,
          "no stale sockets removed directory=" + directory + " reason=" + e);
    }
  }

  private boolean isDead(Path socket) throws IOException, InterruptedException {
    try (UnixChannel channel = transport.connect(socket)) {
      channel.awaitConnected(PROBE);
      return false;
    } catch (UnixChannel.NobodyListensException e) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  boolean isConcerned(Optional<FileIdentity> kubeletSocketNow, boolean thoroughly) {
    return !kubeletSocketNow.equals(tried) || hasLostItsSocket(thoroughly);
  }

  @Override
  void step() throws InterruptedException {
    Optional<FileIdentity> kubelet = FileIdentity.of(kubeletSocket);
    if (isRegisteredWith(kubelet) && endpoint().filter(Endpoint::isListed).isPresent()) {
      succeeded();
      state(new PluginState.Listed());
      await(UNTIL_WOKEN);
    } else if (kubelet.isEmpty()) {
      registeredWith = Optional.empty();
      tried = Optional.empty();
      state(new PluginState.WaitingForKubelet("there is no " + kubeletSocket));
      await(UNTIL_WOKEN);
    } else if (kubelet.equals(tried) && !untilNextAttempt().isZero()) {
      await(untilNextAttempt());
    } else {
      tried = kubelet;
      register(kubelet);
    }
  }

  private boolean isRegisteredWith(Optional<FileIdentity> kubelet) {
    return kubelet.isPresent()
        && kubelet.equals(registeredWith)
        && endpoint().filter(Endpoint::isReachable).isPresent();
  }

  private void register(Optional<FileIdentity> kubelet) throws InterruptedException {
    try {
      Endpoint serving = freshEndpoint();
      if (!call(serving)) {
        tried = Optional.empty();
        state(new PluginState.WaitingForKubelet("the kubelet started while it was asked"));
        return;
      }
    } catch (IOException e) {
      failed(String.valueOf(e.getMessage()));
      return;
    }
    registeredWith = kubelet;
    state(new PluginState.Registered());
    awaitListed(kubelet);
  }

  /// The endpoint of an attempt that never reached a kubelet serves the next one; else a new one.
  private Endpoint freshEndpoint() throws IOException {
    Optional<Endpoint> unused =
        endpoint().filter(each -> registeredWith.isEmpty() && each.isReachable());
    if (unused.isPresent()) return unused.get();
    dropEndpoint();
    registeredWith = Optional.empty();
    var fresh =
        Endpoint.open(transport, directory.resolve(names.next()), resource, plugin, this::wake);
    replaceEndpoint(fresh);
    return fresh;
  }

  /// Calls Register in the newest version of the API that the kubelet speaks.
  ///
  /// @return whether the kubelet took the registration; false when it was not waited for
  private boolean call(Endpoint serving) throws IOException, InterruptedException {
    try (UnixChannel channel = transport.connect(kubeletSocket)) {
      channel.awaitConnected(config.callTimeout());
      Optional<KubeletApi> next = Optional.of(KubeletApi.V1BETA1);
      Status refusal = Status.OK;
      while (next.isPresent()) {
        KubeletApi api = next.get();
        serving.speak(api);
        Optional<Status> answer = awaitAnswer(serving, ask(channel, api, serving));
        if (answer.isEmpty()) {
          registeredWith = tried;
          return false;
        }
        if (answer.get().isOk()) {
          tellOf(api);
          return true;
        }
        // What the newest version was refused with says most, unless a service knew the next one.
        if (refusal.isOk() || !isUnknownService(answer.get())) refusal = answer.get();
        next = isOfOtherVersion(api, answer.get()) ? api.older() : Optional.empty();
      }
      // The kubelet may have connected before it refused, or answered too late: this name is spent.
      registeredWith = tried;
      String what = refusal.getDescription();
      throw new IOException(
          "the kubelet refused the registration: "
              + refusal.getCode()
              + (what == null ? "" : " " + what),
          refusal.getCause());
    }
  }

  private RegisterAnswer<?> ask(UnixChannel channel, KubeletApi api, Endpoint serving) {
    String endpoint = String.valueOf(serving.socket().getFileName());
    long nanos = config.callTimeout().toNanos();
    if (api == KubeletApi.V1BETA1) {
      var answer = new RegisterAnswer<Empty>(this::wake);
      RegistrationGrpc.newStub(channel.grpc())
          .withDeadlineAfter(nanos, TimeUnit.NANOSECONDS)
          .register(
              Messages.registration(resource, endpoint, PluginService.optionsOf(plugin)), answer);
      return answer;
    }
    var answer = new RegisterAnswer<dev.patchbay.proto.deviceplugin.v1alpha.Empty>(this::wake);
    dev.patchbay.proto.deviceplugin.v1alpha.RegistrationGrpc.newStub(channel.grpc())
        .withDeadlineAfter(nanos, TimeUnit.NANOSECONDS)
        .register(AlphaMessages.registration(api.version(), resource, endpoint), answer);
    return answer;
  }

  /// Waits for the answer, but no longer than the kubelet could mean it: one that starts removes
  /// the endpoint, perhaps just before it takes the call, and then looks for the endpoint as long
  /// as our deadline is.
  ///
  /// @return empty when it was not waited for
  private Optional<Status> awaitAnswer(Endpoint serving, RegisterAnswer<?> answer)
      throws InterruptedException {
    while (answer.isAwaited()) {
      if (!serving.isReachable() || !FileIdentity.of(kubeletSocket).equals(tried))
        return Optional.empty();
      await(config.callTimeout());
    }
    return Optional.of(answer.refusal().orElse(Status.OK));
  }

  private static boolean isUnknownService(Status refusal) {
    return refusal.getCode() == Status.Code.UNIMPLEMENTED;
  }

  /// A kubelet of 1.8 or 1.9 does not know the service of v1beta1, and refuses the version of the
  /// other in words.
  private static boolean isOfOtherVersion(KubeletApi api, Status refusal) {
    return switch (api) {
      case V1BETA1 -> isUnknownService(refusal);
      case V1ALPHA2 -> String.valueOf(refusal.getDescription()).contains("requested API version");
      case V0_1 -> false;
    };
  }

  private void tellOf(KubeletApi api) {
    if (api == KubeletApi.V1BETA1) return;
    LOG.log(
        System.Logger.Level.INFO,
        "the kubelet speaks an old API resource=" + resource + " version=" + api.version());
    if (plugin instanceof PreStart)
      LOG.log(
          System.Logger.Level.WARNING,
          "PreStartContainer is never called by this kubelet resource=" + resource);
  }

  private void awaitListed(Optional<FileIdentity> kubelet) throws InterruptedException {
    long deadline = System.nanoTime() + config.listTimeout().toNanos();
    while (isRegisteredWith(FileIdentity.of(kubeletSocket)) && kubelet.equals(registeredWith)) {
      if (endpoint().filter(Endpoint::isListed).isPresent()) return;
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        failed(
            "the kubelet took the registration but did not open ListAndWatch within "
                + config.listTimeout());
        return;
      }
      await(Duration.ofNanos(left));
    }
  }
}
