package dev.patchbay.rpc;

import static dev.patchbay.rpc.RawPeer.bytesOf;
import static dev.patchbay.rpc.RawPeer.call;
import static dev.patchbay.rpc.RawPeer.hex;
import static dev.patchbay.rpc.RawPeer.joined;
import static dev.patchbay.rpc.RawPeer.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.proto.deviceplugin.v1beta1.AllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginGrpc;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.rpc.hpack.Header;
import dev.patchbay.rpc.hpack.HeaderEncoder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What RFC 9113 says of frames that are odd, wrong or too many, from a client that sends bytes.
@Timeout(60)
final class ProtocolTest {
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int PING = 6;
  private static final int WINDOW_UPDATE = 8;
  private static final int CONTINUATION = 9;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final int PADDED = 8;
  private static final int HAS_PRIORITY = 0x20;

  private static final String OPTIONS = "v1beta1.DevicePlugin/GetDevicePluginOptions";
  private static final String ALLOCATE = "v1beta1.DevicePlugin/Allocate";
  private static final String ANSWERED = "HEADERS 1 :status=200 content-type=application/grpc";

  private final Transport transport = Transport.open();
  private Path dir = Path.of("/nonexistent");
  private Path socket = Path.of("/nonexistent");

  @BeforeEach
  void serve() throws IOException {
    dir = Files.createTempDirectory(Path.of("/tmp"), "pb");
    socket = transport.serve(dir.resolve("s.sock"), List.of(new Plugin())).socket();
  }

  @AfterEach
  void close() throws IOException {
    transport.close();
    Files.delete(dir);
  }

  @ParameterizedTest
  @CsvSource({
    "DATA without a stream,                 0 0 0,  00,               PROTOCOL_ERROR",
    "DATA on a stream that nobody opened,   0 0 1,  00,               PROTOCOL_ERROR",
    "HEADERS without a stream,              1 5 0,  82,               PROTOCOL_ERROR",
    "HEADERS on an even stream,             1 5 2,  82,               PROTOCOL_ERROR",
    "a header block that is malformed,      1 5 1,  80,               COMPRESSION_ERROR",
    "HEADERS that are all padding,          1 13 1, 05828282,         PROTOCOL_ERROR",
    "HEADERS cut off in their priority,     1 37 1, 000000,           FRAME_SIZE_ERROR",
    "PRIORITY of four bytes,                2 0 1,  00000000,         FRAME_SIZE_ERROR",
    "RST_STREAM of three bytes,             3 0 1,  000000,           FRAME_SIZE_ERROR",
    "RST_STREAM of a stream never opened,   3 0 1,  00000008,         PROTOCOL_ERROR",
    "SETTINGS on a stream,                  4 0 1,  '',               PROTOCOL_ERROR",
    "SETTINGS cut off,                      4 0 0,  0001000000,       FRAME_SIZE_ERROR",
    "SETTINGS acknowledged with content,    4 1 0,  000100000000,     FRAME_SIZE_ERROR",
    "ENABLE_PUSH that is neither on nor off,4 0 0,  000200000002,     PROTOCOL_ERROR",
    "INITIAL_WINDOW_SIZE that is too large, 4 0 0,  000480000000,     FLOW_CONTROL_ERROR",
    "MAX_FRAME_SIZE that is too small,      4 0 0,  000500003fff,     PROTOCOL_ERROR",
    "PUSH_PROMISE,                          5 4 1,  0000000282,       PROTOCOL_ERROR",
    "PING of seven bytes,                   6 0 0,  00000000000000,   FRAME_SIZE_ERROR",
    "PING on a stream,                      6 0 1,  0000000000000000, PROTOCOL_ERROR",
    "GOAWAY on a stream,                    7 0 1,  0000000000000000, PROTOCOL_ERROR",
    "GOAWAY cut off,                        7 0 0,  00000000,         FRAME_SIZE_ERROR",
    "WINDOW_UPDATE of nothing,              8 0 0,  00000000,         PROTOCOL_ERROR",
    "WINDOW_UPDATE of too much,             8 0 0,  7fffffff,         FLOW_CONTROL_ERROR",
    "WINDOW_UPDATE of no such stream,       8 0 1,  00000001,         PROTOCOL_ERROR",
    "WINDOW_UPDATE of five bytes,           8 0 0,  0000000001,       FRAME_SIZE_ERROR",
    "CONTINUATION of nothing,               9 4 1,  82,               PROTOCOL_ERROR",
  })
  void whatBreaksTheRulesEndsTheConnection(String what, String head, String payload, String code)
      throws IOException {
    int[] fields = Arrays.stream(head.split(" ")).mapToInt(Integer::parseInt).toArray();
    try (RawPeer peer = RawPeer.greeting(socket)) {
      peer.frame(fields[0], fields[1], fields[2], hex(payload));

      assertThat(peer.rest()).as(what).endsWith("GOAWAY " + code);
    }
    assertServes();
  }

  @Test
  void aFrameThatIsTooLargeEndsTheConnection() throws IOException {
    try (RawPeer peer = RawPeer.greeting(socket)) {
      peer.write(Arrays.copyOf(bytesOf(DATA, 0, 1, new byte[16_385]), 9));

      assertThat(peer.rest()).endsWith("GOAWAY FRAME_SIZE_ERROR");
    }
  }

  @Test
  void theFirstFrameIsSettings() throws IOException {
    try (RawPeer peer = RawPeer.silent(socket)) {
      peer.write(RawPeer.preface());
      peer.frame(PING, 0, 0, new byte[8]);

      assertThat(peer.rest()).containsExactly("SETTINGS", "GOAWAY PROTOCOL_ERROR");
    }
  }

  @Test
  void whoSpeaksAnotherProtocolIsLeft() throws IOException {
    try (RawPeer peer = RawPeer.silent(socket)) {
      peer.write("GET / HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII));

      assertThat(peer.rest()).containsExactly("SETTINGS", "GOAWAY PROTOCOL_ERROR");
    }
  }

  @Test
  void nothingComesBetweenTheFramesOfAHeaderBlock() throws IOException {
    try (RawPeer peer = RawPeer.greeting(socket)) {
      peer.frame(HEADERS, 0, 1, hex("82"));
      peer.frame(PING, 0, 0, new byte[8]);

      assertThat(peer.rest()).endsWith("GOAWAY PROTOCOL_ERROR");
    }
  }

  @Test
  void aHeaderBlockWithoutEndIsNotWaitedFor() throws IOException {
    try (RawPeer peer = RawPeer.greeting(socket)) {
      peer.frame(HEADERS, 0, 1, hex("82"));
      for (int i = 0; i < 64; i++) peer.frame(CONTINUATION, 0, 1, new byte[0]);

      assertThat(peer.rest()).endsWith("GOAWAY ENHANCE_YOUR_CALM");
    }
  }

  @Test
  void headersThatBecomeTooLargeEndTheirStreamAlone() throws IOException {
    try (RawPeer peer = RawPeer.greeting(socket)) {
      // One large header in the table, named 20 times.
      byte[] large = HeaderEncoder.encode(List.of(new Header("a", "x".repeat(3_900))));
      large[0] = 0x40;
      peer.frame(HEADERS, END_HEADERS, 1, joined(large, hex("be".repeat(20))));
      assertThat(peer.nextBut("SETTINGS")).isEqualTo("RST_STREAM 1 ENHANCE_YOUR_CALM");

      ask(peer, 3, OPTIONS, new byte[0]);

      assertThat(peer.nextBut("SETTINGS")).startsWith("HEADERS 3 :status=200");
    }
  }

  @Test
  void aRequestThatIsTooLargeIsNotReadToItsEnd() throws IOException {
    try (RawPeer peer = RawPeer.greeting(socket)) {
      peer.frame(HEADERS, END_HEADERS, 1, call(ALLOCATE));
      peer.frame(DATA, 0, 1, joined(hex("0000500000"), new byte[16_000]));

      assertThat(peer.nextBut("SETTINGS")).contains("grpc-status=8 ").endsWith(" end");
      assertThat(peer.nextBut("SETTINGS")).isEqualTo("RST_STREAM 1 NO_ERROR");
      // What was on its way is no fault.
      for (int i = 0; i < 10; i++) peer.frame(DATA, 0, 1, new byte[16_384]);
      peer.frame(RST_STREAM, 0, 1, hex("00000008"));
      ask(peer, 3, OPTIONS, new byte[0]);
      assertThat(peer.nextBut("SETTINGS", "WINDOW_UPDATE")).startsWith("HEADERS 3 :status=200");
    }
  }

  @Test
  void whatIsOddButAllowedIsServed() throws IOException {
    try (RawPeer peer = RawPeer.greeting(socket, 0x1234, 7, 1, 0, 6, 1)) {
      peer.frame(0x77, 0xff, 5, hex("0102"));
      peer.frame(2, 0, 1, hex("0000000310"));
      byte[] block = call(OPTIONS);
      byte[] padded = joined(hex("02 00000000 10"), Arrays.copyOf(block, 10), new byte[2]);
      peer.frame(HEADERS, PADDED | HAS_PRIORITY, 1, padded);
      for (int i = 10; i < block.length; i += 3)
        peer.frame(CONTINUATION, 0, 1, Arrays.copyOfRange(block, i, Math.min(i + 3, block.length)));
      peer.frame(CONTINUATION, END_HEADERS, 1, new byte[0]);
      peer.frame(DATA, PADDED, 1, hex("03 00 000000"));
      peer.frame(DATA, 0, 1, new byte[0]);
      peer.frame(DATA, END_STREAM | PADDED, 1, hex("00 00000000"));

      assertThat(peer.nextBut("SETTINGS")).isEqualTo(ANSWERED);
      assertThat(peer.nextBut("SETTINGS")).startsWith("DATA 1 ");
      assertThat(peer.nextBut("SETTINGS")).isEqualTo("HEADERS 1 grpc-status=0 end");
    }
  }

  @Test
  void bytesMayComeOneByOne() throws IOException {
    try (RawPeer peer = RawPeer.silent(socket)) {
      byte[] all =
          joined(
              RawPeer.preface(),
              bytesOf(4, 0, 0, new byte[0]),
              bytesOf(HEADERS, END_HEADERS, 1, call(OPTIONS)),
              bytesOf(DATA, END_STREAM, 1, message(new byte[0])));
      for (byte one : all) peer.write(new byte[] {one});

      assertThat(peer.nextBut("SETTINGS")).isEqualTo(ANSWERED);
    }
  }

  @Test
  void aPingComesBack() throws IOException {
    try (RawPeer peer = RawPeer.greeting(socket)) {
      peer.frame(PING, 0, 0, hex("0102030405060708"));

      assertThat(peer.nextBut("SETTINGS")).isEqualTo("PING 0102030405060708");
    }
  }

  @Test
  void nothingIsSentIntoAWindowThatIsClosed() throws IOException {
    try (RawPeer peer = RawPeer.greeting(socket, 4, 0)) {
      ask(peer, 1, ALLOCATE, AllocateRequest.getDefaultInstance().toByteArray());
      assertThat(peer.nextBut("SETTINGS")).isEqualTo(ANSWERED);
      peer.frame(PING, 0, 0, new byte[8]);
      assertThat(peer.nextBut()).startsWith("PING");

      peer.frame(WINDOW_UPDATE, 0, 1, hex("00000003"));
      assertThat(peer.nextBut()).isEqualTo("DATA 1 3");
      // A window that is below nothing, and opens again.
      peer.settings(4, 10);
      assertThat(peer.nextBut("SETTINGS")).isEqualTo("DATA 1 10");
      peer.settings(4, 0);
      peer.settings(4, 1_000_000);
      assertThat(peer.nextBut("SETTINGS")).startsWith("DATA 1 ");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "a browser,          GET,  application/grpc, HEADERS 1 :status=405 end",
    "another content,    POST, text/plain,       HEADERS 1 :status=415 end",
  })
  void whatIsNoCallIsRefused(String what, String method, String type, String answer)
      throws IOException {
    try (RawPeer peer = RawPeer.greeting(socket)) {
      peer.frame(
          HEADERS,
          END_HEADERS | END_STREAM,
          1,
          HeaderEncoder.encode(
              List.of(
                  new Header(":method", method),
                  new Header(":path", "/" + OPTIONS),
                  new Header("content-type", type))));

      assertThat(peer.nextBut("SETTINGS")).as(what).isEqualTo(answer);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "a call without a request,       '',                     grpc-status=13",
    "a request that is cut off,      0000000005 0a,          grpc-status=13",
    "two requests,                   0000000000 0000000000,  grpc-status=13",
    "a compressed request,           0100000000,             grpc-status=12",
    "a request of two gigabytes,     00ffffffff,             grpc-status=8",
  })
  void aRequestThatIsNoneIsAnsweredWithAStatus(String what, String content, String status)
      throws IOException {
    try (RawPeer peer = RawPeer.greeting(socket)) {
      peer.frame(HEADERS, END_HEADERS, 1, call(OPTIONS));
      peer.frame(DATA, END_STREAM, 1, hex(content));

      assertThat(peer.nextBut("SETTINGS")).as(what).contains(status + " ").endsWith(" end");
    }
    assertServes();
  }

  @Test
  void aStreamThatIsGivenUpIsForgotten() throws IOException {
    try (RawPeer peer = RawPeer.greeting(socket)) {
      for (int stream = 1; stream < 6_000; stream += 2) {
        peer.frame(HEADERS, END_HEADERS, stream, call(ALLOCATE));
        peer.frame(RST_STREAM, 0, stream, hex("00000008"));
      }
      ask(peer, 6_001, OPTIONS, new byte[0]);

      assertThat(peer.nextBut("SETTINGS")).startsWith("HEADERS 6001 :status=200");
    }
  }

  @Test
  void ofTooManyStreamsTheLastIsRefused() throws IOException {
    try (RawPeer peer = RawPeer.greeting(socket)) {
      for (int i = 0; i < 1_001; i++) peer.frame(HEADERS, END_HEADERS, 1 + 2 * i, call(ALLOCATE));

      assertThat(peer.nextBut("SETTINGS")).isEqualTo("RST_STREAM 2001 REFUSED_STREAM");
    }
  }

  @Test
  void whoAsksButDoesNotReadIsLeft() throws IOException {
    try (RawPeer peer = RawPeer.greeting(socket)) {
      byte[] pings = new byte[0];
      for (int i = 0; i < 100; i++) pings = joined(pings, bytesOf(PING, 0, 0, new byte[8]));
      for (int i = 0; i < 10_000; i++) peer.write(pings);
      throw new AssertionError("17 MB of questions were taken");
    } catch (IOException broken) {
      assertThat(broken.getMessage()).containsAnyOf("pipe", "reset");
    }
    assertServes();
  }

  /// Frames that are nearly right, in any order.
  @Test
  void survivesAnyFrames() throws IOException {
    var random = new Random(11);
    for (int i = 0; i < 300; i++)
      try (RawPeer peer = RawPeer.greeting(socket)) {
        for (int frames = random.nextInt(12); frames > 0; frames--) {
          byte[] payload = new byte[random.nextInt(20)];
          if (random.nextBoolean()) random.nextBytes(payload);
          byte[] content = random.nextInt(4) == 0 ? call(ALLOCATE) : payload;
          peer.frame(random.nextInt(11), random.nextInt(64), random.nextInt(6), content);
        }
      } catch (IOException broken) {
        assertThat(broken.getMessage()).containsAnyOf("pipe", "reset");
      }
    assertServes();
  }

  private static void ask(RawPeer peer, int stream, String method, byte[] request)
      throws IOException {
    peer.frame(HEADERS, END_HEADERS, stream, call(method));
    peer.frame(DATA, END_STREAM, stream, message(request));
  }

  private void assertServes() throws IOException {
    try (RawPeer peer = RawPeer.greeting(socket)) {
      ask(peer, 1, OPTIONS, new byte[0]);
      assertThat(peer.nextBut("SETTINGS")).isEqualTo(ANSWERED);
    }
  }

  private static final class Plugin extends DevicePluginGrpc.DevicePluginImplBase {
    @Override
    public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> answer) {
      answer.onNext(DevicePluginOptions.getDefaultInstance());
      answer.onCompleted();
    }

    @Override
    public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> answer) {
      answer.onNext(
          AllocateResponse.newBuilder()
              .addContainerResponses(
                  ContainerAllocateResponse.newBuilder().putEnvs("LONG", "x".repeat(1_000)))
              .build());
      answer.onCompleted();
    }
  }
}
