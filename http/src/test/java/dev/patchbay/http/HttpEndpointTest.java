package dev.patchbay.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.http.Page.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Pages as a stranger sees them.
@Timeout(60)
final class HttpEndpointTest {
  private final HttpEndpoint endpoint =
      new HttpEndpoint(
          Map.of(
              "/fine", query -> Answer.text(200, query.has("verbose") ? "fine indeed\n" : "fine\n"),
              "/ill", _ -> Answer.text(503, "ill\n"),
              "/broken",
                  _ -> {
                    throw new IllegalStateException("broken on purpose");
                  }));

  @AfterEach
  void close() {
    endpoint.close();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          GET /fine HTTP/1.1       | 200 | fine
          GET /fine?verbose HTTP/1.1 | 200 | fine indeed
          GET /fine?x=1&verbose=1 HTTP/1.1 | 200 | fine indeed
          GET /ill HTTP/1.1        | 503 | ill
          GET / HTTP/1.1           | 404 | /broken, /fine, /ill
          GET /fine/ HTTP/1.1      | 404 | no such page
          GET /%2e%2e/fine HTTP/1.1 | 404 | no such page
          GET /broken HTTP/1.1     | 500 | this page fails
          POST /fine HTTP/1.1      | 405 | GET or HEAD
          DELETE /fine HTTP/1.1    | 405 | GET or HEAD
          GET                      | 400 | ''
          GET http://[ HTTP/1.1    | 400 | ''
          """)
  void aRequestGetsItsAnswer(String request, int status, String said) throws IOException {
    listen();

    String answer = ask(request + "\r\nHost: x\r\nConnection: close\r\n\r\n");

    assertThat(answer).startsWith("HTTP/1.1 " + status + " ").contains(said);
  }

  @Test
  void aHeadHasNoBody() throws IOException {
    listen();

    assertThat(ask("HEAD /fine HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 200 ")
        .endsWith("\r\n\r\n");
  }

  @Test
  void aHeadThatIsTooLongIsRefused() throws IOException {
    listen();

    String header = "X: " + "x".repeat(20_000) + "\r\n";

    assertThat(ask("GET /fine HTTP/1.1\r\nHost: x\r\n" + header + "\r\n")).doesNotContain("200 OK");
  }

  @Test
  void thoseWhoSayNothingDoNotHoldUpOthers() throws IOException {
    listen();
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 40; i++) silent.add(connect());

      assertThat(ask("GET /fine HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
          .contains("200 OK");
    } finally {
      for (Socket socket : silent) socket.close();
    }
  }

  @Test
  void thoseWhoSayNothingAreShownOut() throws IOException {
    listen();

    try (Socket half = connect()) {
      half.getOutputStream().write("GET /fine HT".getBytes(StandardCharsets.UTF_8));
      half.setSoTimeout(30_000);

      assertThat(read(half)).as("what comes before the end of the connection").isEmpty();
    }
  }

  @Test
  void anotherAddressIsTakenAtOnceAndTheOldOneLeft() throws IOException {
    InetSocketAddress first = listen();

    endpoint.apply(Optional.of(at(freePort())));

    Awaitility.await().until(() -> endpoint.address().filter(it -> !it.equals(first)).isPresent());
    assertThat(ask("GET /fine HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).contains("fine");
    try (var again = new ServerSocket()) {
      again.bind(first);
    }
  }

  @Test
  void whenItIsSwitchedOffNobodyListens() throws IOException {
    InetSocketAddress address = listen();

    endpoint.apply(Optional.empty());

    Awaitility.await().until(() -> endpoint.address().isEmpty());
    try (var again = new ServerSocket()) {
      again.bind(address);
    }
  }

  @Test
  void anAddressThatIsTakenIsHadWhenItIsFree() throws IOException {
    try (var other = new ServerSocket()) {
      other.bind(at(0));
      endpoint.apply(Optional.of((InetSocketAddress) other.getLocalSocketAddress()));
      Awaitility.await().during(Duration.ofMillis(200)).until(() -> endpoint.address().isEmpty());
    }

    Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> endpoint.address().isPresent());
  }

  @Test
  void itCanBeClosedBeforeItEverListened() {
    endpoint.close();
    endpoint.apply(Optional.of(at(0)));

    assertThat(endpoint.address()).isEmpty();
  }

  private InetSocketAddress listen() {
    endpoint.apply(Optional.of(at(0)));
    Awaitility.await().until(() -> endpoint.address().isPresent());
    return endpoint.address().orElseThrow();
  }

  private static InetSocketAddress at(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private Socket connect() throws IOException {
    var address = endpoint.address().orElseThrow();
    return new Socket(address.getAddress(), address.getPort());
  }

  private String ask(String request) throws IOException {
    try (Socket socket = connect()) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      return read(socket);
    }
  }

  private static String read(Socket socket) throws IOException {
    try {
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (java.net.SocketException e) {
      return ""; // reset: it was not even heard to the end
    }
  }
}
