package dev.patchbay.interop.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/// A process that answers the control protocol.
final class ControlledKubelet implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int PATIENCE_SECONDS = 120;

  private final String name;
  private final Process process;
  private final OutputStream requests;
  private final AtomicLong newest = new AtomicLong();
  private final Map<Long, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();

  private ControlledKubelet(String name, Process process) {
    this.name = name;
    this.process = process;
    requests = process.getOutputStream();
  }

  /// Upstream's code crashed; a real kubelet would have ended.
  static final class Crash extends RuntimeException {
    private static final long serialVersionUID = 1;

    Crash(String at) {
      super(at);
    }
  }

  /// What was asked for failed.
  static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    Failure(String message) {
      super(message);
    }
  }

  /// @param log its standard error is appended to this
  static ControlledKubelet start(String name, List<String> command, Path log) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    var kubelet = new ControlledKubelet(name, process);
    Thread.ofVirtual().name("replies-" + name).start(kubelet::read);
    return kubelet;
  }

  private void read() {
    try (BufferedReader replies = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = replies.readLine(); line != null; line = replies.readLine()) {
        JsonNode reply = JSON.readTree(line);
        if (reply.has("event")) continue;
        CompletableFuture<JsonNode> who = waiting.remove(reply.path("id").asLong());
        if (who != null) who.complete(reply);
      }
    } catch (IOException e) {
      endWaiting(e);
    }
    endWaiting(new IOException(name + " has ended"));
  }

  private void endWaiting(IOException why) {
    waiting.values().forEach(each -> each.completeExceptionally(why));
  }

  static ObjectNode arguments() {
    return JsonNodeFactory.instance.objectNode();
  }

  /// Asks and waits for the answer.
  ///
  /// @throws Crash where upstream's code would have ended the process
  /// @throws Failure when the reply is an error
  JsonNode ask(String operation, ObjectNode arguments) {
    JsonNode reply = reply(operation, arguments);
    if (reply.path("panic").asBoolean())
      throw new Crash(operation + " at " + reply.path("at").asText());
    if (reply.has("error")) throw new Failure(reply.path("error").asText());
    return reply.path("ok");
  }

  JsonNode ask(String operation) {
    return ask(operation, arguments());
  }

  private JsonNode reply(String operation, ObjectNode arguments) {
    long id = newest.incrementAndGet();
    var answer = new CompletableFuture<JsonNode>();
    waiting.put(id, answer);
    ObjectNode line = arguments().put("id", id).put("op", operation);
    line.setAll(arguments);
    try {
      synchronized (requests) {
        requests.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        requests.flush();
      }
      return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (IOException | ExecutionException e) {
      throw new Crash(operation + ": the process ended: " + e.getMessage());
    } catch (TimeoutException e) {
      throw new Failure(
          "%s: %s has no answer after %d s".formatted(name, operation, PATIENCE_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Failure(name + ": " + operation + " was interrupted");
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /// As `kill -9` does.
  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
