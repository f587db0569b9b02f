package dev.patchbay.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.RegisterRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.RegistrationGrpc;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TransportTest {
  @AutoClose private final SocketHome home = SocketHome.open();
  private final Transport transport = home.transport();
  private final Path dir = home.dir();

  @Test
  void carriesACallOverASocketFileAndRemovesTheFileAtTheEnd() throws Exception {
    UnixServer server = transport.serve(dir.resolve("s.sock"), List.of(new Echo()));
    assertThat(register(server.socket(), "vendor.example/nic"))
        .isEqualTo("registered vendor.example/nic");
    server.close();
    server.close();
    assertThat(dir.resolve("s.sock")).doesNotExist();
  }

  @Test
  void leavesASocketFileThatSomebodyElseMadeInItsPlace() throws Exception {
    UnixServer server = transport.serve(dir.resolve("s.sock"), List.of(new Echo()));
    Files.delete(dir.resolve("s.sock"));
    Files.writeString(dir.resolve("s.sock"), "not a socket");
    assertThat(server.ownsSocketFile()).isFalse();
    server.close();
    assertThat(dir.resolve("s.sock")).exists();
  }

  @Test
  void aSocketFileStaysItsServersThoughItsModeChanges() throws Exception {
    UnixServer server = transport.serve(dir.resolve("s.sock"), List.of(new Echo()));
    Files.setPosixFilePermissions(server.socket(), PosixFilePermissions.fromString("rw-rw-rw-"));
    assertThat(server.problem()).isEmpty();
    server.close();
    assertThat(server.problem()).as("nobody is to connect any more").isEmpty();
    assertThat(dir.resolve("s.sock")).doesNotExist();
  }

  @Test
  void aServerWhoseSocketFileIsGoneSaysSoUntilItIsBack() throws Exception {
    UnixServer server = transport.serve(dir.resolve("s.sock"), List.of(new Echo()));
    Path away = dir.resolveSibling(dir.getFileName() + "-away");

    Files.move(dir, away);
    assertThat(server.problem())
        .contains(server.socket() + " was removed, or another file is in its place");
    Files.createDirectory(dir);
    Files.createFile(server.socket());
    assertThat(server.problem()).isPresent();

    Files.delete(server.socket());
    Files.delete(dir);
    Files.move(away, dir);
    assertThat(server.problem()).isEmpty();
    assertThat(register(server.socket(), "vendor.example/nic"))
        .isEqualTo("registered vendor.example/nic");
  }

  @Test
  void namesThePathAndItsLengthWhenItIsTooLongForASocket() {
    Path tooLong = dir.resolve("s".repeat(120));
    assertThatThrownBy(() -> transport.serve(tooLong, List.of(new Echo())))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(tooLong.toString())
        .hasMessageContaining("at most 107");
    assertThatThrownBy(() -> transport.connect(tooLong))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("107");
  }

  @Test
  void saysThatTheSocketIsMissingOrThatNobodyListens() throws Exception {
    Path socket = dir.resolve("s.sock");
    try (UnixChannel channel = transport.connect(socket)) {
      assertThatThrownBy(() -> channel.awaitConnected(Duration.ofSeconds(10)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(socket.toString())
          .hasMessageContaining("no such file");
    }
    Files.writeString(socket, "");
    try (UnixChannel channel = transport.connect(socket)) {
      assertThatThrownBy(() -> channel.awaitConnected(Duration.ofSeconds(10)))
          .hasMessageContaining("no process listens");
    }
  }

  @Test
  void waitsForSomebodyToListen() throws Exception {
    Path socket = dir.resolve("s.sock");
    try (UnixChannel channel = transport.connect(socket)) {
      assertThatThrownBy(() -> channel.awaitListener(Duration.ofMillis(1)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(socket.toString());
      assertThatThrownBy(() -> channel.awaitConnected(Duration.ofSeconds(10)))
          .hasMessageContaining("no such file");

      transport.serve(socket, List.of(new Echo()));

      channel.awaitListener(Duration.ofSeconds(10));
    }
  }

  /// Decomposed, too: the name of a file is its bytes.
  @ParameterizedTest
  @ValueSource(strings = {"a b", "a%20b", "a+b?c#d", "gr\u00fcn", "gru\u0308n", "\ud83d\udd0c"})
  void aSocketMayHaveAnyName(String name) throws Exception {
    assumeTrue(
        System.getProperty("sun.jnu.encoding").equals("UTF-8"),
        "in this locale Java names no files outside ASCII");
    try (UnixServer server = transport.serve(dir.resolve(name), List.of(new Echo()))) {
      assertThat(register(server.socket(), "vendor.example/nic"))
          .isEqualTo("registered vendor.example/nic");
    }
  }

  @Test
  void refusesToListenWhereAFileIs() throws Exception {
    Files.writeString(dir.resolve("s.sock"), "");
    assertThatThrownBy(() -> transport.serve(dir.resolve("s.sock"), List.of(new Echo())))
        .hasMessageContaining("a file is there already");
  }

  @Test
  void hostileConnectionsDoNotDisturbTheOthers() throws Exception {
    UnixServer server = transport.serve(dir.resolve("s.sock"), List.of(new Echo()));
    var random = new Random(1);
    List<SocketChannel> hostile = new ArrayList<>();
    try {
      for (int i = 0; i < 50; i++) {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(server.socket()));
        hostile.add(channel);
        byte[] garbage = new byte[random.nextInt(2000)];
        random.nextBytes(garbage);
        ByteBuffer preface =
            ByteBuffer.wrap("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        if (i % 3 == 0) preface.limit(random.nextInt(preface.capacity()));
        writeQuietly(channel, preface);
        writeQuietly(channel, ByteBuffer.wrap(garbage));
      }
      assertThat(register(server.socket(), "a.example/b")).isEqualTo("registered a.example/b");
    } finally {
      for (SocketChannel channel : hostile) channel.close();
    }
    assertThat(register(server.socket(), "a.example/c")).isEqualTo("registered a.example/c");
  }

  @Test
  void refusesAMessageOfMoreThanFourMebibytesAndGoesOn() throws Exception {
    UnixServer server = transport.serve(dir.resolve("s.sock"), List.of(new Echo()));
    assertThatThrownBy(() -> register(server.socket(), "x".repeat(Transport.MAX_MESSAGE_BYTES)))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e ->
                assertThat(e.getStatus().getCode())
                    .isIn(Status.Code.RESOURCE_EXHAUSTED, Status.Code.CANCELLED));
    assertThat(register(server.socket(), "a.example/c")).isEqualTo("registered a.example/c");
  }

  /// Too large headers would end the connection, and all other calls on it.
  @ParameterizedTest
  @ValueSource(strings = {"x", "%", "ü", "\uD83D\uDE00"})
  void aLongDescriptionIsCutBetweenTwoCharacters(String character) throws Exception {
    UnixServer server = transport.serve(dir.resolve("s.sock"), List.of(new Echo()));
    try (UnixChannel channel = transport.connect(server.socket())) {
      var stub = RegistrationGrpc.newBlockingStub(channel.grpc());
      for (int length : new int[] {300_000, 3})
        assertThatThrownBy(() ->
                stub.register(
                    RegisterRequest.newBuilder().setResourceName(character.repeat(length)).build()))
            .isInstanceOfSatisfying(
                StatusRuntimeException.class,
                e -> {
                  String said = String.valueOf(e.getStatus().getDescription());
                  assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.ABORTED);
                  String whole = "registered " + character.repeat(length);
                  if (length == 3) assertThat(said).isEqualTo(whole);
                  else
                    assertThat(said)
                        .hasSizeBetween(300, 5_000)
                        .matches("registered (\\Q" + character + "\\E)+… \\(\\d+ characters\\)")
                        .endsWith("… (" + whole.length() + " characters)");
                });
    }
  }

  @Test
  void acceptsTheAuthoritiesThatGoClientsSend() throws Exception {
    UnixServer server = transport.serve(dir.resolve("s.sock"), List.of(new Echo()));
    for (String authority : List.of("localhost", "%2Ftmp%2Fs.sock", "unix", "127.0.0.1"))
      try (UnixChannel channel = transport.connect(server.socket())) {
        var options = io.grpc.CallOptions.DEFAULT.withAuthority(authority);
        StatusRuntimeException echoed =
            org.assertj.core.api.Assertions.catchThrowableOfType(
                StatusRuntimeException.class,
                () ->
                    io.grpc.stub.ClientCalls.blockingUnaryCall(
                        channel.grpc(),
                        RegistrationGrpc.getRegisterMethod(),
                        options,
                        RegisterRequest.getDefaultInstance()));
        assertThat(echoed.getStatus().getDescription()).as(authority).isEqualTo("registered ");
      }
  }

  private static void writeQuietly(SocketChannel channel, ByteBuffer bytes) {
    try {
      while (bytes.hasRemaining()) channel.write(bytes);
    } catch (IOException closedByServer) {
      assertThat(closedByServer).hasMessageContaining("pipe");
    }
  }

  private String register(Path socket, String resource) throws Exception {
    try (UnixChannel channel = transport.connect(socket)) {
      channel.awaitConnected(Duration.ofSeconds(10));
      RegistrationGrpc.newBlockingStub(channel.grpc())
          .register(RegisterRequest.newBuilder().setResourceName(resource).build());
      throw new AssertionError("the echo always answers with an error");
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() != Status.Code.ABORTED) throw e;
      return String.valueOf(e.getStatus().getDescription());
    }
  }

  /// Answers with what it received, as the text of an error.
  private static final class Echo extends RegistrationGrpc.RegistrationImplBase {
    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> answer) {
      answer.onError(
          Status.ABORTED
              .withDescription("registered " + request.getResourceName())
              .asRuntimeException());
    }
  }
}
