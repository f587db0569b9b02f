package dev.patchbay.cli.control;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;

/// One conversation: requests are read from one stream, replies and events written to another.
///
/// Each request runs on a virtual thread of its own, so that a plugin which hangs keeps no other
/// request waiting. The lock orders the lines and is held over their writing, nothing else.
public final class ControlSession implements HealthEvents {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.cli");
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  /// How long a request may still take when the input has ended: a plugin that never answers does
  /// not keep the process alive.
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final BufferedReader requests;
  private final OutputStream replies;
  private final ReentrantLock writing = new ReentrantLock();

  /// What the operations mean.
  @FunctionalInterface
  interface Operations {
    /// Does one operation and returns its answer.
    ///
    /// @throws WrongRequest when the request cannot be understood
    /// @throws IOException when the operation failed
    JsonNode run(String operation, Arguments arguments)
        throws WrongRequest, IOException, InterruptedException, ExecutionException;
  }

  /// @param requests one JSON object a line
  /// @param replies one JSON object a line
  public ControlSession(InputStream requests, OutputStream replies) {
    this.requests = new BufferedReader(new InputStreamReader(requests, StandardCharsets.UTF_8));
    this.replies = replies;
  }

  /// Answers requests until the input ends or a request says `exit`. At the end of the input those
  /// in flight get a little time.
  ///
  /// @throws IOException when the input cannot be read
  void serve(Operations operations) throws IOException, InterruptedException {
    List<Thread> inFlight = new ArrayList<>();
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      if (line.isBlank()) continue;
      Request request;
      try {
        request = Request.read(JSON, line);
      } catch (WrongRequest wrong) {
        JsonNode why = JsonNodeFactory.instance.textNode(wrong.getMessage());
        reply(Request.idOf(JSON, line), "error", why, 0);
        continue;
      }
      if (request.operation().equals("exit")) {
        reply(request.id(), "ok", JsonNodeFactory.instance.booleanNode(true), 0);
        return;
      }
      inFlight.removeIf(thread -> !thread.isAlive());
      inFlight.add(
          Thread.ofVirtual()
              .name("patchbay-control-" + request.operation())
              .start(() -> answer(request, operations)));
    }
    for (Thread each : inFlight) each.join(PATIENCE);
  }

  private void answer(Request request, Operations operations) {
    long began = System.nanoTime();
    String key = "ok";
    JsonNode value = NullNode.getInstance();
    try {
      value = operations.run(request.operation(), request.arguments());
    } catch (WrongRequest | IOException e) {
      key = "error";
      value = JsonNodeFactory.instance.textNode(String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      key = "error";
      value = JsonNodeFactory.instance.textNode("interrupted");
    } catch (Exception e) { // the top of a task: whoever asked has to get a reply
      LOG.log(System.Logger.Level.ERROR, "request failed op=" + request.operation(), e);
      key = "error";
      value = JsonNodeFactory.instance.textNode(request.operation() + " failed: " + e);
    }
    reply(request.id(), key, value, (System.nanoTime() - began) / 1000);
  }

  private void reply(JsonNode id, String key, JsonNode value, long micros) {
    ObjectNode line = JsonNodeFactory.instance.objectNode();
    line.set("id", id);
    line.set(key, value);
    line.put("us", micros);
    write(line);
  }

  @Override
  public void healthChanged(Collection<String> podUids) {
    ObjectNode line = JsonNodeFactory.instance.objectNode();
    line.put("event", "health");
    podUids.forEach(line.putArray("podUIDs")::add);
    write(line);
  }

  private void write(ObjectNode line) {
    byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
    writing.lock();
    try {
      replies.write(bytes);
      replies.flush();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "reply not written reason=" + e.getMessage());
    } finally {
      writing.unlock();
    }
  }

  /// One line of the input.
  ///
  /// @param id given back with the reply; null when there was none
  private record Request(JsonNode id, String operation, Arguments arguments) {
    static Request read(ObjectMapper json, String line) throws WrongRequest {
      JsonNode tree;
      try {
        tree = json.readTree(line);
      } catch (JsonProcessingException e) {
        throw new WrongRequest(
            "the line is no JSON: " + e.getOriginalMessage() + "; needed is {\"id\", \"op\", …}");
      }
      Arguments all = Arguments.of("the request", tree);
      String operation = all.text("op");
      ObjectNode rest = ((ObjectNode) tree).deepCopy().without(List.of("id", "op"));
      return new Request(
          tree.path("id").isMissingNode() ? NullNode.getInstance() : tree.get("id"),
          operation,
          new Arguments(operation, rest));
    }

    static JsonNode idOf(ObjectMapper json, String line) {
      try {
        JsonNode id = json.readTree(line).path("id");
        return id.isMissingNode() ? NullNode.getInstance() : id;
      } catch (JsonProcessingException e) {
        return NullNode.getInstance();
      }
    }
  }
}
