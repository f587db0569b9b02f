package dev.patchbay.bench.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// A process that answers the control protocol, one request at a time. Times are those that it says
/// itself: the way there and back does not count.
final class ControlledKubelet implements MeasuredKubelet {
  private static final ObjectMapper JSON = new ObjectMapper();

  /// Beyond that a process is ended by force.
  private static final int SECONDS_TO_END = 5;

  /// Stands for the end of the process's output.
  private static final String END = "";

  private final Process process;
  private final Path log;
  private final Duration patience;
  private final BufferedWriter requests;
  private final BlockingQueue<String> replies = new LinkedBlockingQueue<>();
  private ObjectNode announced = object();
  private int sent;

  /// What was answered, and how long the kubelet says it took.
  private record Reply(JsonNode value, long micros) {}

  /// A kubelet did not answer in time: nothing that is measured after that would say anything.
  static final class Hung extends IOException {
    private static final long serialVersionUID = 1;

    Hung(String operation, Duration patience, String lastLines) {
      super(
          "no answer to \"%s\" within %d s; the process was ended. Its last words:%n%s"
              .formatted(operation, patience.toSeconds(), lastLines));
    }
  }

  /// @param log where its standard error goes
  /// @param patience how long one request may take
  ControlledKubelet(List<String> command, Path log, Duration patience) throws IOException {
    this.log = log;
    this.patience = patience;
    process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    requests = process.outputWriter(StandardCharsets.UTF_8);
    Thread.ofPlatform().daemon().name("replies").start(this::readReplies);
  }

  private void readReplies() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) replies.add(line);
    } catch (IOException e) {
      System.err.println("bench-kubelet: replies cannot be read: " + e.getMessage());
    }
    replies.add(END);
  }

  static ObjectNode object() {
    return JSON.createObjectNode();
  }

  @Override
  public void start(KubeletSetting setting, KubeletFiles files) throws IOException {
    ObjectNode config =
        object()
            .put("dir", files.plugins().toString())
            .put("podResources", files.podResources().toString())
            .put("policy", setting.policy());
    config
        .putObject("numa")
        .put("nodes", setting.nodes())
        .put("cpusPerNode", KubeletSetting.CPUS_PER_NODE);
    if (setting.staticCpus())
      config
          .put("state", files.state().toString())
          .put("cpuPolicy", "static")
          .put("reservedCPUs", "0");
    ObjectNode start = object();
    start.set("config", config);
    ask("start", start);
  }

  @Override
  public void restart() throws IOException {
    ask("restart", object());
  }

  @Override
  public void announce(ObjectNode pod) {
    announced = pod;
  }

  @Override
  public long admit() throws IOException {
    ObjectNode request = object().put("predicates", false);
    request.set("pod", announced);
    Reply reply = ask("admit", request);
    if (!reply.value().path("admit").asBoolean())
      throw new IOException("a pod was refused: " + reply.value());
    return reply.micros();
  }

  @Override
  public long hints() throws IOException {
    ObjectNode request = object().put("container", KubeletStage.CONTAINER);
    request.set("pod", announced);
    return ask("hints", request).micros();
  }

  @Override
  public void remove(String uid) throws IOException {
    ask("remove", object().put("uid", uid));
  }

  @Override
  public long allocatable(String resource) throws IOException {
    JsonNode capacity = ask("capacity", object()).value();
    return capacity.path("allocatable").path(resource).asLong(-1);
  }

  @Override
  public long residentKib() throws IOException {
    return ask("rss", object()).value().path("rssKiB").asLong();
  }

  /// Does an operation.
  ///
  /// @throws Hung when it is not answered in time
  /// @throws IOException when it is answered with an error, or the process ended
  private Reply ask(String operation, ObjectNode arguments) throws IOException {
    int id = ++sent;
    requests.write(JSON.writeValueAsString(arguments.put("id", id).put("op", operation)));
    requests.newLine();
    requests.flush();
    long deadline = System.nanoTime() + patience.toNanos();
    while (true) {
      String line = next(operation, deadline);
      if (line.equals(END)) {
        replies.add(END); // for whoever asks again
        throw new IOException(
            "the kubelet ended during " + operation + "; its last words:\n" + lastWords());
      }
      JsonNode reply = JSON.readTree(line);
      if (!reply.has("id") || reply.path("id").asInt() != id) continue;
      if (!reply.has("ok")) throw new IOException(operation + ": " + line);
      return new Reply(reply.path("ok"), reply.path("us").asLong());
    }
  }

  private String next(String operation, long deadline) throws IOException {
    try {
      String line = replies.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (line != null) return line;
      process.destroyForcibly();
      throw new Hung(operation, patience, lastWords());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted during " + operation, e);
    }
  }

  private String lastWords() throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
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
