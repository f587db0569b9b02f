package dev.patchbay.rpc.http2;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.RegisterRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.RegistrationGrpc;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixServer;
import dev.patchbay.rpc.hpack.Header;
import dev.patchbay.rpc.hpack.HeaderEncoder;
import io.grpc.stub.StreamObserver;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class ConnectionTest {
  @AutoClose private final EventLoop loop = new EventLoop();
  @AutoClose private final Transport transport = Transport.open();

  /// A mistake of ours while one call is told of its answer.
  @Test
  void whenItFailsHereAllItsStreamsHearOfIt() throws Exception {
    Path dir = Files.createTempDirectory(Path.of("/tmp"), "pb");
    UnixServer server = transport.serve(dir.resolve("s.sock"), List.of(new Service()));
    Connection connection =
        Connection.client(
            loop, SocketChannel.open(UnixDomainSocketAddress.of(server.socket())), _ -> {});
    var waiting = new Reader();
    var failing =
        new Reader() {
          @Override
          public void headers(List<Header> headers, boolean isLast) {
            throw new IllegalStateException("a mistake");
          }
        };

    var _ = connection.open(headers(), message("waits"), waiting);
    var _ = connection.open(headers(), message("is answered"), failing);

    assertThat(waiting.lost.get(20, SECONDS)).contains("a mistake");
    assertThat(failing.lost.get(20, SECONDS)).contains("a mistake");
    assertThat(connection.end()).isPresent();
    server.close();
    Files.delete(dir);
  }

  private static byte[] headers() {
    return HeaderEncoder.encode(
        List.of(
            new Header(":method", "POST"),
            new Header(":scheme", "http"),
            new Header(":path", "/v1beta1.Registration/Register"),
            new Header(":authority", "localhost"),
            new Header("te", "trailers"),
            new Header("content-type", "application/grpc")));
  }

  private static byte[] message(String resource) {
    byte[] request = RegisterRequest.newBuilder().setResourceName(resource).build().toByteArray();
    return ByteBuffer.allocate(5 + request.length)
        .put((byte) 0)
        .putInt(request.length)
        .put(request)
        .array();
  }

  /// Hears nothing but the end.
  private static class Reader implements StreamReader {
    final CompletableFuture<String> lost = new CompletableFuture<>();

    @Override
    public void headers(List<Header> headers, boolean isLast) {}

    @Override
    public void data(byte[] bytes, int from, int length, boolean isLast) {}

    @Override
    public void writable() {}

    @Override
    public void reset(ErrorCode code, String why) {}

    @Override
    public void lost(String why) {
      lost.complete(why);
    }
  }

  /// Answers all but one.
  private static final class Service extends RegistrationGrpc.RegistrationImplBase {
    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> answer) {
      if (request.getResourceName().equals("waits")) return;
      answer.onNext(Empty.getDefaultInstance());
      answer.onCompleted();
    }
  }
}
