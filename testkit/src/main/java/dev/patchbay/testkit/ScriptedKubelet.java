package dev.patchbay.testkit;

import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginGrpc;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.RegisterRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.RegistrationGrpc;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/// A kubelet whose answers to Register are scripted, which can be stopped, killed and replaced, and
/// which remembers what plugins sent it. What it does with a plugin that it accepts is what the
/// kubelet does: it connects and asks for the options before it answers, and reads the list.
///
/// One thread drives it (script, start, stop, kill); what it received can be read by any.
public final class ScriptedKubelet implements AutoCloseable {
  private static final Duration DIAL = Duration.ofSeconds(10);

  /// What is done with one Register call.
  public enum Answer {
    /// Accepted; the list is read.
    ACCEPT_AND_LIST,
    /// Accepted; the list is read on two streams.
    ACCEPT_AND_LIST_TWICE,
    /// Accepted; the list is never read.
    ACCEPT_ONLY,
    /// An error of the call.
    REFUSE,
    /// Neither answer nor error.
    NEVER_ANSWER
  }

  /// One Register call as it arrived.
  ///
  /// @param at from [System#nanoTime]
  /// @param options the plugin's answer to GetDevicePluginOptions; empty where it was not asked
  public record Registered(
      RegisterRequest request, long at, Optional<DevicePluginOptions> options) {
    /// Its resource.
    public String resource() {
      return request.getResourceName();
    }

    /// The file name of its socket.
    public String endpoint() {
      return request.getEndpoint();
    }
  }

  private final Path directory;
  private final Transport transport = Transport.open();
  private final AnswerScript script = new AnswerScript();
  private final List<Registered> registered = new CopyOnWriteArrayList<>();
  private final List<String> mistakes = new CopyOnWriteArrayList<>();
  private final List<String> abandoned = new CopyOnWriteArrayList<>();
  private final ListLog lists = new ListLog();
  private final List<UnixChannel> channels = new CopyOnWriteArrayList<>();
  private final List<KubeletSocket> sockets = new ArrayList<>();
  private int socketsMade;

  private ScriptedKubelet(Path directory) {
    this.directory = directory;
  }

  /// A kubelet in this directory, `/var/lib/kubelet` so to speak; nothing is touched before
  /// [#start].
  public static ScriptedKubelet in(Path kubeletDir) {
    return new ScriptedKubelet(kubeletDir.resolve("device-plugins"));
  }

  /// What is done with the next Register calls of any resource, one each, and with all that follow
  /// the last. Without a script all are accepted and listed.
  public ScriptedKubelet script(Answer... answers) {
    script.forAll(List.of(answers));
    return this;
  }

  /// The same for one resource alone; goes before the script for all.
  public ScriptedKubelet scriptFor(String resource, Answer... answers) {
    script.forOne(resource, List.of(answers));
    return this;
  }

  /// Where `kubelet.sock` lies and the plugins' sockets.
  public Path devicePluginDir() {
    return directory;
  }

  /// Starts as a kubelet does: makes the directory, removes all sockets in it, listens.
  public ScriptedKubelet start() throws IOException {
    Files.createDirectories(directory);
    for (Path socket : SocketFiles.in(directory)) Files.deleteIfExists(socket);
    return listen();
  }

  /// A new `kubelet.sock` takes the place of the old one, and the plugins' sockets are left. Their
  /// streams go on if this kubelet was not stopped or killed before.
  public ScriptedKubelet listen() throws IOException {
    Path parent = directory.toAbsolutePath().getParent();
    if (parent == null) throw new IOException("no directory above " + directory);
    sockets.add(
        KubeletSocket.serve(
            transport,
            directory.resolve("kubelet.sock"),
            parent.resolve(".scripted-" + socketsMade++),
            new Service()));
    return this;
  }

  /// Ends all connections, stops listening, removes `kubelet.sock`.
  public void stop() throws IOException {
    disconnect();
    for (KubeletSocket socket : sockets) socket.remove();
    sockets.clear();
  }

  /// Ends as a process does that is killed: connections break and `kubelet.sock` is left, with
  /// nobody behind it.
  public void kill() {
    disconnect();
    sockets.forEach(KubeletSocket::leave);
  }

  /// [#stop], and the directory goes away with all that is in it.
  public void stopAndRemoveDirectory() throws IOException {
    stop();
    SocketFiles.removeTree(directory);
  }

  private void disconnect() {
    List<UnixChannel> open = List.copyOf(channels);
    channels.removeAll(open);
    open.forEach(UnixChannel::close);
  }

  /// All Register calls, the newest last.
  public List<Registered> registrations() {
    return registered;
  }

  /// The Register calls of one resource, the newest last.
  public List<Registered> registrations(String resource) {
    return registered.stream().filter(each -> each.resource().equals(resource)).toList();
  }

  /// Registrations that no kubelet could have accepted although the script would have, in words:
  /// nobody listened on the endpoint, the options were refused.
  public List<String> mistakes() {
    return mistakes;
  }

  /// Resources whose Register call the plugin gave up before it was answered, one entry a call.
  public List<String> abandonedCalls() {
    return abandoned;
  }

  /// The lists that arrived, on all streams.
  public ListLog lists() {
    return lists;
  }

  /// A stub of the plugin that registered last for this resource.
  public DevicePluginGrpc.DevicePluginBlockingStub plugin(String resource) throws IOException {
    List<Registered> all = registrations(resource);
    if (all.isEmpty()) throw new IOException("no plugin registered " + resource);
    return DevicePluginGrpc.newBlockingStub(connect(all.getLast().endpoint()).grpc())
        .withWaitForReady();
  }

  private UnixChannel connect(String endpoint) throws IOException {
    UnixChannel channel = transport.connect(directory.resolve(endpoint));
    channels.add(channel);
    return channel;
  }

  @Override
  public void close() throws IOException {
    stop();
    transport.close();
  }

  private final class Service extends RegistrationGrpc.RegistrationImplBase {
    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> observer) {
      long at = System.nanoTime();
      var call = (ServerCallStreamObserver<Empty>) observer;
      call.setOnCancelHandler(() -> abandoned.add(request.getResourceName()));
      Answer answer = script.next(request.getResourceName());
      switch (answer) {
        case ACCEPT_AND_LIST -> accept(request, at, call, 1);
        case ACCEPT_AND_LIST_TWICE -> accept(request, at, call, 2);
        case ACCEPT_ONLY -> accept(request, at, call, 0);
        case REFUSE -> {
          registered.add(new Registered(request, at, Optional.empty()));
          call.onError(Status.UNKNOWN.withDescription("the script refuses").asException());
        }
        case NEVER_ANSWER -> registered.add(new Registered(request, at, Optional.empty()));
      }
    }

    private void accept(
        RegisterRequest request, long at, ServerCallStreamObserver<Empty> call, int streams) {
      try {
        UnixChannel channel = connect(request.getEndpoint());
        channel.awaitConnected(DIAL);
        var options =
            DevicePluginGrpc.newBlockingStub(channel.grpc())
                .withDeadlineAfter(DIAL.toSeconds(), TimeUnit.SECONDS)
                .getDevicePluginOptions(Empty.getDefaultInstance());
        registered.add(new Registered(request, at, Optional.of(options)));
        for (int i = 0; i < streams; i++)
          lists.read(request.getResourceName(), request.getEndpoint(), channel.grpc());
        call.onNext(Empty.getDefaultInstance());
        call.onCompleted();
      } catch (IOException | StatusRuntimeException e) {
        registered.add(new Registered(request, at, Optional.empty()));
        mistakes.add(request.getResourceName() + " at " + request.getEndpoint() + ": " + e);
        call.onError(Status.UNKNOWN.withDescription(e.getMessage()).asException());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        call.onError(Status.CANCELLED.withDescription("the kubelet is stopping").asException());
      }
    }
  }

  @Override
  public String toString() {
    return "kubelet in "
        + directory
        + " that received "
        + Arrays.toString(registered.stream().map(Registered::resource).toArray())
        + " and "
        + lists;
  }
}
