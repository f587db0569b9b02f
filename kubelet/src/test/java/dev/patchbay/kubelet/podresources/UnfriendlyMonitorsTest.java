package dev.patchbay.kubelet.podresources;

import static dev.patchbay.kubelet.podresources.GivenHoldings.NIC;
import static dev.patchbay.kubelet.podresources.GivenHoldings.container;
import static dev.patchbay.kubelet.podresources.GivenHoldings.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import dev.patchbay.kubelet.metrics.KubeletMetrics;
import dev.patchbay.proto.podresources.v1.GetPodResourcesRequest;
import dev.patchbay.proto.podresources.v1.ListPodResourcesRequest;
import dev.patchbay.proto.podresources.v1.PodResourcesListerGrpc;
import dev.patchbay.proto.podresources.v1.PodResourcesListerGrpc.PodResourcesListerBlockingStub;
import dev.patchbay.rpc.Transport;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What one monitor does to PodResources is no other's concern: the service stays up, and answers
/// those who behave.
@Timeout(120)
final class UnfriendlyMonitorsTest {
  private final Transport transport = Transport.open();
  private final List<SocketChannel> unfriendly = new ArrayList<>();
  private Path directory = Path.of("");
  private PodResourcesServer server;

  @BeforeEach
  void start() throws IOException {
    directory = Files.createTempDirectory(Path.of("/tmp"), "pb");
    var node = new GivenHoldings();
    for (int p = 0; p < 500; p++)
      node.pods.add(pod("pod-" + p, container("main", NIC, devices(p))));
    server =
        PodResourcesServer.at(
            directory.resolve("s"),
            node,
            PodResourcesSettings.DEFAULTS.withLimit(1_000_000, 1_000_000),
            new KubeletMetrics());
    server.start();
  }

  private static String devices(int pod) {
    return "0:"
        + IntStream.range(8 * pod, 8 * pod + 8)
            .mapToObj("device-%05d"::formatted)
            .collect(Collectors.joining(","));
  }

  @AfterEach
  void stop() throws IOException {
    for (SocketChannel each : unfriendly) each.close();
    server.close();
    transport.close();
    Files.deleteIfExists(directory);
  }

  @Test
  void aRequestThatIsTooLargeIsRefused() throws IOException {
    GetPodResourcesRequest large =
        GetPodResourcesRequest.newBuilder()
            .setUnknownFields(
                UnknownFieldSet.newBuilder()
                    .addField(
                        1000,
                        UnknownFieldSet.Field.newBuilder()
                            .addLengthDelimited(
                                ByteString.copyFrom(new byte[Transport.MAX_MESSAGE_BYTES]))
                            .build())
                    .build())
            .build();

    StatusRuntimeException refused =
        catchThrowableOfType(StatusRuntimeException.class, () -> stub().get(large));

    assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(listed()).isEqualTo(500);
  }

  @Test
  void aNameAsLongAsAMessageIsNotTheNameOfAPodAndIsCut() throws IOException {
    GetPodResourcesRequest long1 =
        GetPodResourcesRequest.newBuilder()
            .setPodName("p".repeat(1 << 20))
            .setPodNamespace("n".repeat(1 << 20))
            .build();

    StatusRuntimeException refused =
        catchThrowableOfType(StatusRuntimeException.class, () -> stub().get(long1));

    assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNKNOWN);
    assertThat(refused.getStatus().getDescription())
        .startsWith("pod ppp")
        .contains("ppp… (1048576 characters) in namespace nnn")
        .endsWith("nnn… (1048576 characters) not found");
    assertThat(listed()).isEqualTo(500);
  }

  @Test
  void whoConnectsAndSaysNothingIsInNobodysWay() throws IOException {
    for (int i = 0; i < 300; i++) connect();

    assertThat(listed()).isEqualTo(500);
  }

  @Test
  void whoAsksAndNeverReadsIsInNobodysWay() throws IOException {
    for (int i = 0; i < 20; i++) {
      SocketChannel channel = connect();
      for (int call = 0; call < 5; call++) send(channel, request(2 * call + 1));
    }

    assertThat(listed()).isEqualTo(500);
  }

  @Test
  void whoBreaksOffInTheMiddleIsInNobodysWay() throws IOException {
    for (int i = 0; i < 50; i++)
      try (SocketChannel channel = connect()) {
        byte[] request = request(1);
        channel.write(ByteBuffer.wrap(request, 0, 1 + i % request.length));
      }

    assertThat(listed()).isEqualTo(500);
  }

  /// A connection that has said what HTTP/2 begins with.
  private SocketChannel connect() throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    unfriendly.add(channel);
    channel.connect(UnixDomainSocketAddress.of(server.socket()));
    var begin = new ByteArrayOutputStream();
    begin.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    begin.writeBytes(frame(4, 0, 0, new byte[0]));
    send(channel, begin.toByteArray());
    return channel;
  }

  private static void send(SocketChannel channel, byte[] bytes) throws IOException {
    var buffer = ByteBuffer.wrap(bytes);
    while (buffer.hasRemaining()) channel.write(buffer);
  }

  /// A call of List.
  private static byte[] request(int stream) {
    var fields = new ByteArrayOutputStream();
    field(fields, ":method", "POST");
    field(fields, ":scheme", "http");
    field(fields, ":path", "/v1.PodResourcesLister/List");
    field(fields, ":authority", "localhost");
    field(fields, "te", "trailers");
    field(fields, "content-type", "application/grpc");
    var request = new ByteArrayOutputStream();
    request.writeBytes(frame(1, 4, stream, fields.toByteArray()));
    request.writeBytes(frame(0, 1, stream, new byte[5]));
    return request.toByteArray();
  }

  /// A header field that is no entry of any table (RFC 7541, 6.2.2).
  private static void field(ByteArrayOutputStream to, String name, String value) {
    to.write(0);
    for (String text : List.of(name, value)) {
      to.write(text.length());
      to.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }
  }

  private static byte[] frame(int type, int flags, int stream, byte[] payload) {
    return ByteBuffer.allocate(9 + payload.length)
        .put((byte) 0)
        .putShort((short) payload.length)
        .put((byte) type)
        .put((byte) flags)
        .putInt(stream)
        .put(payload)
        .array();
  }

  private PodResourcesListerBlockingStub stub() throws IOException {
    return PodResourcesListerGrpc.newBlockingStub(transport.connect(server.socket()).grpc())
        .withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  private int listed() throws IOException {
    return stub().list(ListPodResourcesRequest.getDefaultInstance()).getPodResourcesCount();
  }
}
