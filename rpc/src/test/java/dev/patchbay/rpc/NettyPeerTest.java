package dev.patchbay.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.patchbay.proto.deviceplugin.v1beta1.AllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginGrpc;
import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.PreStartContainerRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.PreStartContainerResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.RegisterRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.RegistrationGrpc;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The same calls with ours on both sides, and with gRPC's own transport on one of them.
final class NettyPeerTest {
  /// Who speaks with whom.
  enum Pair {
    OURS_WITH_OURS,
    NETTY_WITH_OURS,
    OURS_WITH_NETTY
  }

  private static final Duration SOON = Duration.ofSeconds(20);

  private final Transport transport = Transport.open();
  private final MultiThreadIoEventLoopGroup netty =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final List<ManagedChannel> nettyChannels = new ArrayList<>();
  private final List<Server> nettyServers = new ArrayList<>();
  private final Plugin plugin = new Plugin();
  private Path dir = Path.of("/nonexistent");

  @BeforeEach
  void makeDirectory() throws IOException {
    dir = Files.createTempDirectory(Path.of("/tmp"), "pb");
  }

  @AfterEach
  void close() throws Exception {
    plugin.goOn.countDown();
    nettyChannels.forEach(ManagedChannel::shutdownNow);
    nettyServers.forEach(Server::shutdownNow);
    transport.close();
    netty.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    Files.deleteIfExists(dir.resolve("s.sock"));
    Files.delete(dir);
  }

  private Channel channel(Pair pair) throws IOException {
    Path socket = dir.resolve("s.sock");
    if (pair.equals(Pair.OURS_WITH_NETTY))
      nettyServers.add(
          NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
              .channelType(NioServerDomainSocketChannel.class)
              .bossEventLoopGroup(netty)
              .workerEventLoopGroup(netty)
              .addService(plugin)
              .build()
              .start());
    else transport.serve(socket, List.of(plugin));
    if (!pair.equals(Pair.NETTY_WITH_OURS)) return transport.connect(socket).grpc();
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
            .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
            .eventLoopGroup(netty)
            .usePlaintext()
            .build();
    nettyChannels.add(channel);
    return channel;
  }

  private static DevicePluginGrpc.DevicePluginBlockingStub stub(Channel channel) {
    return DevicePluginGrpc.newBlockingStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @EnumSource
  void messagesOfEverySizeArriveAsTheyWereSent(Pair pair) throws Exception {
    Channel channel = channel(pair);
    for (int size : new int[] {0, 1, 100, 16_379, 16_384, 65_530, 65_536, 70_000, 3_000_000}) {
      String id = "x".repeat(size);

      AllocateResponse answer = stub(channel).allocate(request(id));

      assertThat(answer.getContainerResponses(0).getEnvsOrThrow("ID")).isEqualTo(id);
    }
  }

  @ParameterizedTest
  @EnumSource
  void manyCallsAtOnceAreNotMixedUp(Pair pair) throws Exception {
    Channel channel = channel(pair);
    try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<String>> answers = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        String id = i + "-" + "y".repeat(i * 50);
        answers.add(
            callers.submit(() ->
                stub(channel).allocate(request(id)).getContainerResponses(0).getEnvsOrThrow("ID")));
      }
      for (int i = 0; i < answers.size(); i++)
        assertThat(answers.get(i).get()).startsWith(i + "-").hasSizeGreaterThan(i * 50);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRefusalArrivesWithItsText(Pair pair) throws Exception {
    Channel channel = channel(pair);
    String text = "no device \u00fc%20 \u2713\nsecond line 100%";

    assertThatThrownBy(() -> stub(channel).allocate(request("refuse:" + text)))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
              assertThat(e.getStatus().getDescription()).isEqualTo(text);
            });
  }

  @ParameterizedTest
  @EnumSource
  void aServiceThatThrowsFailsOneCall(Pair pair) throws Exception {
    Channel channel = channel(pair);

    assertThatThrownBy(() -> stub(channel).allocate(request("throw")))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNKNOWN));
    assertThat(stub(channel).allocate(request("a")).getContainerResponsesCount()).isOne();
  }

  @ParameterizedTest
  @EnumSource
  void aMethodThatIsNotServedIsUnimplemented(Pair pair) throws Exception {
    Channel channel = channel(pair);
    var other = RegistrationGrpc.newBlockingStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS);

    assertThatThrownBy(() -> other.register(RegisterRequest.getDefaultInstance()))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNIMPLEMENTED));
  }

  @ParameterizedTest
  @EnumSource
  void aDeadlineEndsACallOnBothSides(Pair pair) throws Exception {
    Channel channel = channel(pair);
    var hasty = DevicePluginGrpc.newBlockingStub(channel).withDeadlineAfter(1, TimeUnit.SECONDS);

    assertThatThrownBy(() -> hasty.preStartContainer(PreStartContainerRequest.getDefaultInstance()))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED));

    await().atMost(SOON).untilAtomic(plugin.cancelled, equalTo(1));
    assertThat(stub(channel).allocate(request("a")).getContainerResponsesCount()).isOne();
  }

  @ParameterizedTest
  @EnumSource
  void listsOfAnySizeComeOneAfterTheOther(Pair pair) throws Exception {
    Channel channel = channel(pair);
    Iterator<ListAndWatchResponse> lists = stub(channel).listAndWatch(Empty.getDefaultInstance());
    await().atMost(SOON).until(() -> plugin.streams.size() == 1);
    for (int devices : new int[] {0, 1, 1_000, 10_000, 2, 40_000}) {
      plugin.streams.getFirst().onNext(list(devices));

      assertThat(lists.next().getDevicesCount()).isEqualTo(devices);
    }
    plugin.streams.getFirst().onCompleted();
    assertThat(lists.hasNext()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void aReaderThatGivesUpIsNoticed(Pair pair) throws Exception {
    Channel channel = channel(pair);
    var reader = new SlowReader();
    DevicePluginGrpc.newStub(channel).listAndWatch(Empty.getDefaultInstance(), reader);
    await().atMost(SOON).until(() -> plugin.streams.size() == 1);

    reader.cancel();

    await().atMost(SOON).untilAtomic(plugin.cancelled, equalTo(1));
    assertThat(plugin.streams.getFirst().isCancelled()).isTrue();
  }

  /// What is not read stays with the writer, who is told.
  @ParameterizedTest
  @EnumSource
  void aReaderThatDoesNotAskHoldsTheWriterBack(Pair pair) throws Exception {
    Channel channel = channel(pair);
    var reader = new SlowReader();
    DevicePluginGrpc.newStub(channel).listAndWatch(Empty.getDefaultInstance(), reader);
    await().atMost(SOON).until(() -> plugin.streams.size() == 1);
    ServerCallStreamObserver<ListAndWatchResponse> writer = plugin.streams.getFirst();

    int sent = 0;
    for (; writer.isReady() && sent < 1_000; sent++) writer.onNext(list(1_000));
    assertThat(sent).isLessThan(1_000);
    assertThat(stub(channel).allocate(request("meanwhile")).getContainerResponsesCount()).isOne();
    reader.ask(sent);

    String all = sent + " read, ready: true";
    await()
        .atMost(SOON)
        .until(() -> reader.sizes.size() + " read, ready: " + writer.isReady(), all::equals);
    assertThat(reader.sizes).containsOnly(1_000);
    await().atMost(SOON).until(() -> plugin.ready.get() > 0);
  }

  @ParameterizedTest
  @EnumSource
  void theEndOfAServerEndsItsCalls(Pair pair) throws Exception {
    Channel channel = channel(pair);
    var reader = new SlowReader();
    DevicePluginGrpc.newStub(channel).listAndWatch(Empty.getDefaultInstance(), reader);
    await().atMost(SOON).until(() -> plugin.streams.size() == 1);

    nettyServers.forEach(Server::shutdownNow);
    if (!pair.equals(Pair.OURS_WITH_NETTY)) transport.close();

    assertThat(reader.ended.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(Status.fromThrowable(reader.failure).getCode())
        .isIn(Status.Code.UNAVAILABLE, Status.Code.CANCELLED);
  }

  /// The other end may notice in the very moment in which this one is closed, too.
  @Test
  void theEndOfATransportEndsTheCallsOfBothItsEnds() throws Exception {
    for (int i = 0; i < 300; i++) {
      Path socket = dir.resolve(i + ".sock");
      var both = Transport.open();
      both.serve(socket, List.of(plugin));
      var reader = new SlowReader();
      int streams = plugin.streams.size();
      DevicePluginGrpc.newStub(both.connect(socket).grpc())
          .listAndWatch(Empty.getDefaultInstance(), reader);
      while (plugin.streams.size() == streams) Thread.onSpinWait();

      both.close();

      assertThat(reader.ended.await(SOON.toSeconds(), TimeUnit.SECONDS)).as("call %d", i).isTrue();
    }
  }

  private static AllocateRequest request(String id) {
    return AllocateRequest.newBuilder()
        .addContainerRequests(ContainerAllocateRequest.newBuilder().addDevicesIds(id))
        .build();
  }

  private static ListAndWatchResponse list(int devices) {
    var list = ListAndWatchResponse.newBuilder();
    for (int i = 0; i < devices; i++)
      list.addDevices(Device.newBuilder().setID("device-" + i).setHealth("Healthy"));
    return list.build();
  }

  /// Asks for lists only when told.
  private static final class SlowReader
      implements ClientResponseObserver<Empty, ListAndWatchResponse> {
    final List<Integer> sizes = new CopyOnWriteArrayList<>();
    final CountDownLatch ended = new CountDownLatch(1);
    volatile Throwable failure = new IllegalStateException("it has not failed");
    private @Nullable ClientCallStreamObserver<Empty> call;

    @Override
    public void beforeStart(ClientCallStreamObserver<Empty> newCall) {
      newCall.disableAutoRequestWithInitial(0);
      call = newCall;
    }

    void ask(int lists) {
      Objects.requireNonNull(call).request(lists);
    }

    void cancel() {
      Objects.requireNonNull(call).cancel("enough", null);
    }

    @Override
    public void onNext(ListAndWatchResponse list) {
      sizes.add(list.getDevicesCount());
    }

    @Override
    public void onError(Throwable why) {
      failure = why;
      ended.countDown();
    }

    @Override
    public void onCompleted() {
      ended.countDown();
    }
  }

  private static final class Plugin extends DevicePluginGrpc.DevicePluginImplBase {
    final List<ServerCallStreamObserver<ListAndWatchResponse>> streams =
        new CopyOnWriteArrayList<>();
    final AtomicInteger cancelled = new AtomicInteger();
    final AtomicInteger ready = new AtomicInteger();
    final CountDownLatch goOn = new CountDownLatch(1);

    @Override
    public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> answer) {
      String id = request.getContainerRequests(0).getDevicesIds(0);
      if (id.equals("throw")) throw new IllegalStateException("as asked for");
      if (id.startsWith("refuse:")) {
        answer.onError(
            Status.FAILED_PRECONDITION.withDescription(id.substring(7)).asRuntimeException());
        return;
      }
      answer.onNext(
          AllocateResponse.newBuilder()
              .addContainerResponses(ContainerAllocateResponse.newBuilder().putEnvs("ID", id))
              .build());
      answer.onCompleted();
    }

    @Override
    public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> answer) {
      var stream = (ServerCallStreamObserver<ListAndWatchResponse>) answer;
      stream.setOnCancelHandler(cancelled::incrementAndGet);
      stream.setOnReadyHandler(ready::incrementAndGet);
      streams.add(stream);
    }

    /// Answers only at the end of the test.
    @Override
    public void preStartContainer(
        PreStartContainerRequest request, StreamObserver<PreStartContainerResponse> answer) {
      ((ServerCallStreamObserver<PreStartContainerResponse>) answer)
          .setOnCancelHandler(cancelled::incrementAndGet);
    }
  }
}
