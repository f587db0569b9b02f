package dev.patchbay.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.RegisterRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.RegistrationGrpc;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/// A server that answers and closes at once, as a plugin does that a kubelet has refused.
final class LastWordsTest {
  /// Of a kind that nobody knows, and so many that they are more than one read brings.
  private static final int ODD_FRAMES = 100;

  @AutoClose private final SocketHome home = SocketHome.open();
  private final Transport transport = home.transport();

  @Test
  void anAnswerThatWasGivenBeforeTheEndIsHeard() throws Exception {
    try (ServerSocketChannel server = home.listen();
        UnixChannel channel = transport.connect(home.socket())) {
      CompletableFuture<Void> served =
          CompletableFuture.runAsync(() -> answer(server, lastWords(answered())));

      assertThat(RegistrationGrpc.newBlockingStub(channel.grpc()).register(request()))
          .isEqualTo(Empty.getDefaultInstance());

      served.join();
    }
  }

  @Test
  void aCallWithoutAnAnswerEndsWithTheConnection() throws Exception {
    try (ServerSocketChannel server = home.listen();
        UnixChannel channel = transport.connect(home.socket())) {
      CompletableFuture<Void> served =
          CompletableFuture.runAsync(() -> answer(server, lastWords(new byte[0])));

      assertThatThrownBy(() -> RegistrationGrpc.newBlockingStub(channel.grpc()).register(request()))
          .isInstanceOf(StatusRuntimeException.class)
          .hasMessageContaining("UNAVAILABLE");

      served.join();
    }
  }

  private static RegisterRequest request() {
    return RegisterRequest.newBuilder().setResourceName("hardware-vendor.example/foo").build();
  }

  private static void answer(ServerSocketChannel server, byte[] words) {
    try (RawPeer client = RawPeer.accepted(server)) {
      String frame = client.next();
      while (!frame.startsWith("DATA")) frame = client.next();
      client.write(words);
    } catch (IOException e) {
      throw new AssertionError("the client did not ask", e);
    }
  }

  /// The greeting, which the client answers, then what takes a second read, then the answer.
  private static byte[] lastWords(byte[] answer) {
    var words = new ByteArrayOutputStream();
    words.writeBytes(RawPeer.bytesOf(4, 0, 0, new byte[0]));
    for (int i = 0; i < ODD_FRAMES; i++)
      words.writeBytes(RawPeer.bytesOf(0xfe, 0, 0, new byte[1000]));
    words.writeBytes(answer);
    return words.toByteArray();
  }

  private static byte[] answered() {
    var answer = new ByteArrayOutputStream();
    answer.writeBytes(RawPeer.bytesOf(1, 4, 1, RawPeer.answer()));
    answer.writeBytes(RawPeer.bytesOf(0, 0, 1, RawPeer.message(new byte[0])));
    answer.writeBytes(RawPeer.bytesOf(1, 5, 1, RawPeer.ended()));
    return answer.toByteArray();
  }
}
