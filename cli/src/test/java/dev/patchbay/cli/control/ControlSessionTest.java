package dev.patchbay.cli.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Lines and replies, whatever the operations mean.
final class ControlSessionTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  /// `echo` gives its argument `value` back; `fail` fails.
  private static JsonNode run(String operation, Arguments arguments)
      throws WrongRequest, IOException {
    return switch (operation) {
      case "echo" -> arguments.needed("value", "any value");
      case "fail" -> throw new IOException("no room");
      default -> throw new WrongRequest("unknown: " + operation);
    };
  }

  @Test
  void aReplyHasTheIdOfItsRequestWhateverTypeThatHas() throws Exception {
    for (String id : List.of("7", "\"a\"", "null", "{\"x\":[1]}")) {
      JsonNode reply = replyTo("{\"id\":" + id + ",\"op\":\"echo\",\"value\":[1,2]}");

      assertThat(reply.get("id")).isEqualTo(JSON.readTree(id));
      assertThat(reply.get("ok")).isEqualTo(JSON.readTree("[1,2]"));
      assertThat(reply.get("us").isIntegralNumber()).isTrue();
      assertThat(reply.has("error")).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"id\":1,\"op\":\"fail\"}                | no room",
        "{\"id\":1,\"op\":\"echo\"}                | echo has no \"value\"; needed is any value",
        "{\"id\":1,\"op\":7}                       | the request: op is 7; needed is a text",
        "{\"id\":1}                                | the request has no \"op\"; needed is a text",
        "{\"id\":1,\"op\":\"echo\",\"value\":1} x  | the line is no JSON",
        "{\"id\":1,                                | the line is no JSON",
        "[1]                                       | the request is of type array; needed is an object",
      })
  void aRequestThatFailsGetsAReplyThatSaysWhy(String line, String why) throws Exception {
    JsonNode reply = replyTo(line);

    assertThat(reply.path("error").asText()).contains(why);
    assertThat(reply.has("ok")).isFalse();
    assertThat(reply.has("us")).isTrue();
  }

  @Test
  void aRequestThatTakesLongKeepsNoOtherWaiting() throws Exception {
    var mayEnd = new CountDownLatch(1);
    var out = new ByteArrayOutputStream();
    byte[] script = line("{\"id\":1,\"op\":\"slow\"}\n{\"id\":2,\"op\":\"fast\"}");
    new ControlSession(new ByteArrayInputStream(script), out)
        .serve((operation, _) -> {
          if (operation.equals("slow")) mayEnd.await();
          else mayEnd.countDown();
          return JsonNodeFactory.instance.textNode(operation);
        });

    assertThat(replies(out))
        .extracting(reply -> reply.get("id").asInt())
        .containsExactlyInAnyOrder(1, 2);
  }

  @Test
  void anEventIsALineOfItsOwn() throws Exception {
    var out = new ByteArrayOutputStream();

    new ControlSession(new ByteArrayInputStream(new byte[0]), out).healthChanged(List.of("a", "b"));

    assertThat(replies(out))
        .containsExactly(JSON.readTree("{\"event\":\"health\",\"podUIDs\":[\"a\",\"b\"]}"));
  }

  @Test
  void nothingAfterExitIsAnswered() throws Exception {
    assertThat(conversation("{\"id\":1,\"op\":\"exit\"}\n{\"id\":2,\"op\":\"echo\",\"value\":1}\n"))
        .singleElement()
        .returns("true", reply -> reply.get("ok").toString());
  }

  private static JsonNode replyTo(String line) throws IOException, InterruptedException {
    return conversation(line + "\n").getFirst();
  }

  private static List<JsonNode> conversation(String lines)
      throws IOException, InterruptedException {
    var out = new ByteArrayOutputStream();
    new ControlSession(new ByteArrayInputStream(line(lines)), out).serve(ControlSessionTest::run);
    return replies(out);
  }

  private static byte[] line(String text) {
    return (text + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static List<JsonNode> replies(ByteArrayOutputStream out) throws IOException {
    List<JsonNode> all = new ArrayList<>();
    for (String line : out.toString(StandardCharsets.UTF_8).lines().toList())
      all.add(JSON.readTree(line));
    return all;
  }
}
