package dev.patchbay.bench.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A process that answers the control protocol, one request at a time.
final class ControlledKubelet implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /// Beyond that a process is ended by force.
  private static final int SECONDS_TO_END = 5;

  private final Process process;
  private final BufferedWriter requests;
  private final BufferedReader replies;
  private int sent;

  /// What was answered, and how long the kubelet says it took.
  record Reply(JsonNode value, long micros) {}

  /// @param log where its standard error goes
  ControlledKubelet(List<String> command, Path log) throws IOException {
    process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    requests = process.outputWriter(StandardCharsets.UTF_8);
    replies = process.inputReader(StandardCharsets.UTF_8);
  }

  static ObjectNode object() {
    return JSON.createObjectNode();
  }

  /// Does an operation.
  ///
  /// @throws IOException when it is answered with an error, or the process ended
  Reply ask(String operation, ObjectNode arguments) throws IOException {
    int id = ++sent;
    requests.write(JSON.writeValueAsString(arguments.put("id", id).put("op", operation)));
    requests.newLine();
    requests.flush();
    while (true) {
      String line = replies.readLine();
      if (line == null) throw new IOException("the kubelet ended during " + operation);
      JsonNode reply = JSON.readTree(line);
      if (!reply.has("id") || reply.path("id").asInt() != id) continue;
      if (!reply.has("ok")) throw new IOException(operation + ": " + line);
      return new Reply(reply.path("ok"), reply.path("us").asLong());
    }
  }

  /// Ends the process.
  @Override
  public void close() {
    try {
      requests.close();
      if (process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) return;
    } catch (IOException e) {
      // It has ended by itself; what it said is in its log.
      System.err.println("bench-kubelet: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }
}
